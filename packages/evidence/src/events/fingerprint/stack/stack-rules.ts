/** What a project says about frames whose file or module fits a glob. */
export type StackVerdict = 'own' | 'foreign' | 'ignore';

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

/** The verdict of the first rule that fits the file or the module; null when none does. */
export function stackVerdict(
  rules: readonly StackRule[],
  frame: { file: string | null; module: string },
): StackVerdict | null {
  for (const { glob, verdict } of rules) {
    if (fitsGlob(glob, frame.module) || (frame.file !== null && fitsGlob(glob, frame.file))) return verdict;
  }
  return null;
}

/** `*` stands for any text, `?` for one character; everything else for itself. */
export function fitsGlob(glob: string, text: string): boolean {
  let at = 0;
  let place = 0;
  // Where the last star stands, and how much text it has taken so far.
  let starAt = -1;
  let taken = 0;
  while (place < text.length) {
    const char = glob.charAt(at);
    if (char === '*') {
      starAt = at;
      taken = place;
      at += 1;
    } else if (char === '?' || (char !== '' && char === text.charAt(place))) {
      at += 1;
      place += 1;
    } else if (starAt !== -1) {
      taken += 1;
      place = taken;
      at = starAt + 1;
    } else {
      return false;
    }
  }
  while (glob.charAt(at) === '*') at += 1;
  return at === glob.length;
}
