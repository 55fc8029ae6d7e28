import { rulesOf } from '../../sdk-core/src/config.ts';
import { createRulesStep } from '../../sdk-core/src/rules.ts';
import type { CaptureRule } from '../../sdk-core/src/wire.ts';
import type { Page } from './loaded-page.ts';
import type { Integration } from './options.ts';
import { observeWebVitals } from './web-vitals.ts';

export { consoleCapture } from './console-capture.ts';
export { triggerTokens } from './trigger-tokens.ts';

/** Applies the project's filters before an event is sent; the service applies them in any case. */
export function captureRules(): Integration {
  return (page: Page) => {
    let rules: readonly CaptureRule[] = [];
    page.onPolicy.push(() => {
      rules = rulesOf(page.project.rawConfig);
    });
    const step = createRulesStep(() => rules, Date.now);
    // After the host's own function, before sampling.
    page.steps.splice(-1, 0, step);
    return () => void page.steps.splice(page.steps.indexOf(step), 1);
  };
}

/** Adds the speed that users experience, as `context.web_vitals` of the page's exceptions. */
export function webVitals(): Integration {
  return (page: Page) => {
    const { vitals, stop } = observeWebVitals();
    page.exceptionContext.push(() => ({ web_vitals: { ...vitals } }));
    return stop;
  };
}
