/**
 * The number of lines of one generation, and their maximum length: most stacks of a service contain the same few
 * frames.
 */
const REMEMBERED_MAX = 16_384;
const REMEMBERED_CHARS_MAX = 256;
/** Hashes of lines that were met, each in its place until another one takes it. */
const MET_PLACES = 65_536;

/**
 * Returns `make` with a bounded memory of lines that were met more than once; its result must depend on the line alone,
 * and must never be changed.
 * @param make receives the index of the text after its leading blanks
 */
export function rememberingLines<Made>(
  make: (text: string, indent: number) => Made,
): (text: string, indent: number) => Made {
  let young = new Map<string, Made>();
  let old = new Map<string, Made>();
  const met = new Uint32Array(MET_PLACES);

  const isMetAgain = (text: string): boolean => {
    let hash = text.length + 1;
    for (let index = 0; index < text.length; index++)
      hash = (Math.imul(hash, 31) + text.charCodeAt(index)) | 0;
    const value = hash >>> 0;
    const place = (hash ^ (hash >>> 16)) & (MET_PLACES - 1);
    if (met[place] === value) return true;
    met[place] = value;
    return false;
  };

  return (text, indent) => {
    const recent = young.get(text);
    if (recent !== undefined) return recent;
    if (text.length > REMEMBERED_CHARS_MAX) return make(text, indent);
    const known = old.get(text);
    // One that is met for the first time may be the last of its kind.
    if (known === undefined && !isMetAgain(text)) return make(text, indent);
    // A copy, because a part of a stack's text would keep the whole text alive.
    const own = Buffer.from(text, 'utf16le').toString('utf16le');
    const made = known ?? make(own, indent);
    if (young.size >= REMEMBERED_MAX) {
      old = young;
      young = new Map();
    }
    young.set(own, made);
    return made;
  };
}
