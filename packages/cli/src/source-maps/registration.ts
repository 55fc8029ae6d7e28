/** The line that registers a script's debug id while it runs (docs/contract/source-maps.md 7.1). */

const HEAD_BYTES = 2048;
const RELEASE = /(_culpritRelease=e\._culpritRelease\|\|)"(?:[^"\\]|\\.){0,1300}"/;

/** One line without its end. */
export function registrationLine(directives: readonly string[], id: string, release: string | null): string {
  const named = release === null ? '' : `;e._culpritRelease=e._culpritRelease||${asciiString(release)}`;
  return (
    directives.map((directive) => `${directive};`).join('') +
    '!function(){try{var e=typeof globalThis!="undefined"?globalThis:self,n=(new e.Error).stack;' +
    `n&&((e._debugIds=e._debugIds||{})[n]="${id}")${named}}catch(e){}}();`
  );
}

/** Returns true if the script registers this id when it runs. */
export function registersId(text: string, id: string): boolean {
  if (!text.includes('_debugIds') && !text.includes('_sentryDebugIds')) return false;
  return [id, id.toUpperCase()].some((each) => text.includes(`"${each}"`) || text.includes(`'${each}'`));
}

/** Returns true if the script sets a release when it runs. */
export function setsRelease(text: string): boolean {
  return text.slice(0, HEAD_BYTES).includes('_culpritRelease');
}

/** The script with another release in the line of an earlier run. */
export function withRelease(text: string, release: string): string {
  return text.replace(RELEASE, (_, before: string) => before + asciiString(release));
}

function asciiString(value: string): string {
  return JSON.stringify(value).replace(
    /[^ -~]|</g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
