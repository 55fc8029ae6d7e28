import type { BundleContext } from '@culprit/contract/incidents/bundle-context';

/** One step before the failure: what an application logged, or what happened in the browser. */
interface StoryStep {
  /** ISO 8601; null when the browser named no time. */
  at: string | null;
  source: 'log' | 'browser';
  text: string;
}

export const STORY_STEPS_MAX = 12;

/** Logs and steps of the browser as one story by time, the nearest to the failure kept. */
export function storyOf({ logs, frontend }: BundleContext, stepsMax = STORY_STEPS_MAX): StoryStep[] {
  const steps: StoryStep[] = [];
  for (const { timestamp, level, message, attributes } of logs?.items ?? []) {
    const facts = Object.entries(attributes ?? {}).map(([key, value]) => `${key}=${shortValue(value)}`);
    steps.push({ at: timestamp, source: 'log', text: [`${level} ${message}`, ...facts].join('  ') });
  }
  const browser = (at: string | null, text: string) => steps.push({ at, source: 'browser', text });
  for (const each of frontend?.route_changes ?? [])
    browser(each.ts, `went from ${each.from} to ${each.to ?? '?'}`);
  for (const each of frontend?.clicks ?? [])
    browser(each.ts, `clicked ${each.selector ?? each.label ?? '?'}`);
  for (const each of frontend?.form_submissions ?? []) browser(each.ts, `sent the form ${each.form ?? '?'}`);
  for (const each of frontend?.console_logs ?? []) browser(each.ts, `console ${each.level} ${each.message}`);
  for (const each of frontend?.network_requests ?? []) {
    browser(each.ts, `${each.method ?? 'GET'} ${each.url ?? '?'} → ${each.status ?? 'no answer'}`);
  }
  for (const each of frontend?.exceptions ?? []) browser(each.ts, `${each.name}: ${each.message}`);
  // Steps without a time stay where their list has them: before everything that has one.
  const sorted = steps
    .map((step, index) => ({ step, index }))
    .sort((a, b) => (a.step.at ?? '').localeCompare(b.step.at ?? '', 'en') || a.index - b.index);
  return sorted.slice(-stepsMax).map(({ step }) => step);
}

/** A value on one line. */
export function shortValue(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? 'null');
}
