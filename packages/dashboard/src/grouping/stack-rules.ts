import { STACK_RULES_MAX } from '@culprit/contract/workspace/projects';

/** Returns the typed rules: one a line; empty lines are left out. */
export function rulesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

export function textOf(rules: readonly string[]): string {
  return rules.join('\n');
}

const RULE = /^\S{1,200} +(?:own|foreign|ignore)$/;

/** Returns the fault in the first line that cannot be a rule; null if all can. */
export function problemOfRules(text: string): string | null {
  const rules = rulesOf(text);
  if (rules.length > STACK_RULES_MAX) return `At most ${STACK_RULES_MAX} rules; these are ${rules.length}.`;
  const wrong = text.split('\n').findIndex((line) => line.trim() !== '' && !RULE.test(line.trim()));
  return wrong === -1
    ? null
    : `Line ${wrong + 1} is not a rule. A rule is a glob, a space, and own, foreign or ignore.`;
}

/** Rules that one list has and another has not, as they would be read aloud: `+` came, `−` went. */
export function changeOf(before: readonly string[], after: readonly string[]): string[] {
  const came = after.filter((rule) => !before.includes(rule)).map((rule) => `+ ${rule}`);
  const went = before.filter((rule) => !after.includes(rule)).map((rule) => `− ${rule}`);
  return [...went, ...came];
}
