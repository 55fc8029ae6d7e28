/**
 * The letters that can follow each letter in words and names of code, from a to z: 98 of 100 pairs in real names. Of
 * random letters, four of ten pairs are missing here.
 */
const FOLLOWS: readonly string[] = (
  'abcdfgiklmnprstuvwxy abcdefgijlmnoprstuy acdefhiklmnoprstuy abcdefgilmoprstuvy abcdefghijlmnopqrstuvwxy ' +
  'acefilorstuy adeghilmnoprstu aeiklmorstuy abcdefgklmnoprstvxz aeiosu aceilost abcdefghiklmopstuvy ' +
  'abcdeilmnopstu abcdefghijklmnoprstuvwy abcdefgijklmnoprstuvwxy acdefghikloprstuy lqsu ' +
  'abcdefghiklmnoprstuvwy abcdefghiklmnopqrstuwy abcdefghilmnoprstuwy abcdefgilmnoprst aeio aehilnors ' +
  'acdehilmptx aceilmnopst aeio'
).split(' ');

const DIGIT = 0;
const CAPITAL = 1;
const SMALL = 2;
const OTHER = 3;

/**
 * Returns how little a text of ASCII letters and digits looks like a name: one for each pair of letters that no word
 * has, and one for each change between capitals, small letters and digits that starts no new word.
 */
export function oddness(text: string): number {
  let odd = 0;
  let earlier = OTHER;
  let before = OTHER;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    const kind = kindOf(code);
    if (kind !== OTHER && before !== OTHER && (kind !== DIGIT || before !== DIGIT)) {
      const isCapitalized = before === CAPITAL && kind === SMALL && earlier !== CAPITAL;
      const isOfOneWord = kind === before || isCapitalized || isVersion(text, index);
      if (!isOfOneWord || (kind !== DIGIT && !mayFollow(text.charCodeAt(index - 1), code))) odd += 1;
    }
    earlier = before;
    before = kind;
  }
  return odd;
}

/** Returns true for the digit of `v4`. */
function isVersion(text: string, index: number): boolean {
  const code = text.charCodeAt(index);
  return kindOf(code) === DIGIT && (text.charCodeAt(index - 1) | 0x20) === 0x76;
}

function mayFollow(before: number, code: number): boolean {
  return FOLLOWS[(before | 0x20) - 0x61]?.includes(String.fromCharCode(code | 0x20)) ?? true;
}

function kindOf(code: number): number {
  if (code >= 0x30 && code <= 0x39) return DIGIT;
  if (code >= 0x41 && code <= 0x5a) return CAPITAL;
  return code >= 0x61 && code <= 0x7a ? SMALL : OTHER;
}
