/** Names that are kept, at most: the same few hundred are in the stacks of a service. */
const REMEMBERED_MAX = 4096;
/** Longer names are rare, and made anew each time. */
const REMEMBERED_CHARS_MAX = 200;

/** `make` with a bounded memory; what it makes must depend on the name alone, and never be changed. */
export function remembering<Made>(make: (name: string) => Made): (name: string) => Made {
  const known = new Map<string, Made>();
  return (name) => {
    const found = known.get(name);
    if (found !== undefined) return found;
    if (name.length > REMEMBERED_CHARS_MAX) return make(name);
    // A copy, because a part of a stack's text would keep the whole text alive.
    const own = Buffer.from(name, 'utf16le').toString('utf16le');
    const made = make(own);
    if (known.size >= REMEMBERED_MAX) known.clear();
    known.set(own, made);
    return made;
  };
}
