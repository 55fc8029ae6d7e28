import { readConfig } from '../../sdk-core/src/config.ts';
import { presetPolicy } from '../../sdk-core/src/policy.ts';
import type { Answer } from '../../sdk-core/src/sending/host.ts';
import type { Page } from './loaded-page.ts';

const DECIDED_MS = 5000;

/** Asks once, after the page has loaded. */
export function askPolicy(page: Page): void {
  const { project } = page;
  const decide = (answer?: Answer) => {
    const config = answer?.status === 200 ? readConfig(answer.body) : null;
    if (!config && project.policy) return;
    Object.assign(project, config ?? { policy: presetPolicy('minimal') });
    if (config) page.directives = config.directives;
    page.pageClient.arm(0);
    for (const run of page.onPolicy) run();
  };
  setTimeout(decide, DECIDED_MS);
  const run = () => {
    setTimeout(() => page.transport.askConfig().then(decide, decide));
  };
  if (globalThis.document && document.readyState !== 'complete')
    addEventListener('load', run, { once: true });
  else run();
}
