import { type ReadConfig, readConfig } from '../../sdk-core/src/config.ts';
import type { Answer } from '../../sdk-core/src/host.ts';
import { presetPolicy } from '../../sdk-core/src/policy.ts';
import type { CapturePolicy } from '../../sdk-core/src/wire.ts';
import type { Page } from './page.ts';

const DECIDED_MS = 5000;

/** What the project wants of this page (docs/contract/clients.md 9.1). */
export interface PagePolicy {
  /** Null until it is known. */
  policy: CapturePolicy | null;
  /** The answer that it stands in. */
  rawConfig: ReadConfig['rawConfig'];
}

/** Asks once, after the page has loaded. */
export function askPolicy(page: Page): void {
  const { project } = page;
  const decide = (answer?: Answer) => {
    const config = answer?.status === 200 ? readConfig(answer.body) : null;
    if (!config && project.policy) return;
    Object.assign(project, config ?? { policy: presetPolicy('minimal') });
    if (config) page.directives = config.directives;
    page.client.arm(0);
    for (const run of page.onPolicy) run();
  };
  const failed = () => decide();
  setTimeout(failed, DECIDED_MS);
  const run = () => {
    setTimeout(() => page.transport.config().then(decide, failed));
  };
  if (globalThis.document && document.readyState !== 'complete')
    addEventListener('load', run, { once: true });
  else run();
}
