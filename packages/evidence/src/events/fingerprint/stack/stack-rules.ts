import { compileGlob, type Glob } from '../../glob.ts';

/** A project's verdict about frames whose file or module matches a glob. */
type StackVerdict = 'own' | 'foreign' | 'ignore';

export interface StackRule {
  glob: string;
  verdict: StackVerdict;
}

const RULE = /^(\S{1,200}) (own|foreign|ignore)$/;

/** Reads lines of `glob own|foreign|ignore`; lines of another form are left out. */
export function readStackRules(lines: readonly string[]): StackRule[] {
  return lines.flatMap((line) => {
    const [, glob, verdict] = RULE.exec(line.trim()) ?? [];
    return glob !== undefined && isVerdict(verdict) ? [{ glob, verdict }] : [];
  });
}

function isVerdict(word: string | undefined): word is StackVerdict {
  return word === 'own' || word === 'foreign' || word === 'ignore';
}

/** The verdict of the first rule that fits the file or the module of a frame; null when none does. */
export type StackJudge = (frame: { file: string | null; module: string }) => StackVerdict | null;

/** Different files and modules of one event that are compared with rules; frames with others get no verdict. */
export const JUDGED_NAMES_MAX = 300;

/** A judge of the frames of one event. */
export function createStackJudge(rules: readonly StackRule[]): StackJudge {
  if (rules.length === 0) return () => null;
  const judge = compiledOf(rules);
  const verdicts = new Map<string, StackVerdict | null>();
  return (frame) => {
    const name = nameOf(frame);
    const known = verdicts.get(name);
    if (known !== undefined) return known;
    if (verdicts.size >= JUDGED_NAMES_MAX) return null;
    const verdict = judge(frame);
    verdicts.set(name, verdict);
    return verdict;
  };
}

function nameOf({ file, module }: Parameters<StackJudge>[0]): string {
  return `${module}\n${file ?? ''}`;
}

/** By the rules of a project, which never change once they are read. */
const compiled = new WeakMap<readonly StackRule[], StackJudge>();

function compiledOf(rules: readonly StackRule[]): StackJudge {
  const known = compiled.get(rules);
  if (known !== undefined) return known;
  const made = compileRules(rules);
  compiled.set(rules, made);
  return made;
}

/** Verdicts that are kept; the next event of a project often has the same frames. */
const VERDICTS_MAX = 500;
/** Longer names are judged for each event. */
const KEPT_CHARS_MAX = 400;

function compileRules(rules: readonly StackRule[]): StackJudge {
  const globs = rules.map(({ glob, verdict }): { fits: Glob; verdict: StackVerdict } => ({
    fits: compileGlob(glob),
    verdict,
  }));
  const kept = new Map<string, StackVerdict | null>();
  return (frame) => {
    const { file, module } = frame;
    const judge = () =>
      globs.find(({ fits }) => fits(module) || (file !== null && fits(file)))?.verdict ?? null;
    const name = nameOf(frame);
    if (name.length > KEPT_CHARS_MAX) return judge();
    const known = kept.get(name);
    if (known !== undefined) return known;
    const verdict = judge();
    if (kept.size >= VERDICTS_MAX) kept.clear();
    kept.set(name, verdict);
    return verdict;
  };
}
