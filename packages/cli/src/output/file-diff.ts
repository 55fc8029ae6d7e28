import { isAbsolute } from 'node:path';
import { createTwoFilesPatch, FILE_HEADERS_ONLY } from 'diff';
import { visibleText } from './visible-text.ts';

/** A file before and after the change. */
export interface FileChange {
  path: string;
  /** Null where there is no file. */
  before: string | null;
  after: string;
  /** Lines beside the new ones may be secrets, so none is shown. */
  isSecret: boolean;
}

const CONTEXT_LINES = 3;

/** The unified diff that is shown before a file is written. */
export function fileDiff({ path, before, after, isSecret }: FileChange): string {
  const [from, to] = isAbsolute(path) ? [path, path] : [`a/${path}`, `b/${path}`];
  const patch = createTwoFilesPatch(
    before === null ? '/dev/null' : from,
    to,
    before ?? '',
    after,
    undefined,
    undefined,
    { headerOptions: FILE_HEADERS_ONLY, context: isSecret ? 0 : CONTEXT_LINES },
  );
  return visibleText(patch);
}
