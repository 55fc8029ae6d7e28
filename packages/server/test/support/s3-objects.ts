import { createHash, randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What an S3 store knows of an object without reading it. */
export interface S3ObjectEntry {
  bytes: number;
  /** With its quotation marks, as in the header. */
  etag: string;
  modifiedAt: Date;
}

/**
 * The objects of one bucket, as files in a directory of their own. Keys are flat as in S3: `a` and `a/b` exist side by
 * side, and a key is no path. An object is replaced at once, never in part. Calls are synchronous, so that two requests
 * for one key are served one after the other, as a strongly consistent store does.
 */
export class S3Objects {
  readonly #directory: string;
  readonly #entries = new Map<string, S3ObjectEntry>();

  constructor() {
    this.#directory = mkdtempSync(join(tmpdir(), 'culprit-s3-'));
  }

  get size(): number {
    return this.#entries.size;
  }

  /** In the order in which a store lists them: by the bytes of their UTF-8 form. */
  keys(): string[] {
    return [...this.#entries.keys()].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  }

  has(key: string): boolean {
    return this.#entries.has(key);
  }

  entry(key: string): S3ObjectEntry | undefined {
    return this.#entries.get(key);
  }

  get(key: string): Buffer | undefined {
    return this.#entries.has(key) ? readFileSync(this.#path(key)) : undefined;
  }

  set(key: string, bytes: Buffer): S3ObjectEntry {
    const unfinished = join(this.#directory, `${randomUUID()}.new`);
    writeFileSync(unfinished, bytes);
    renameSync(unfinished, this.#path(key));
    const entry = {
      bytes: bytes.length,
      etag: `"${createHash('md5').update(bytes).digest('hex')}"`,
      modifiedAt: new Date(),
    };
    this.#entries.set(key, entry);
    return entry;
  }

  delete(key: string): boolean {
    rmSync(this.#path(key), { force: true });
    return this.#entries.delete(key);
  }

  clear(): void {
    this.#entries.clear();
    rmSync(this.#directory, { recursive: true, force: true });
    mkdirSync(this.#directory);
  }

  /** Removes the directory. */
  close(): void {
    this.#entries.clear();
    rmSync(this.#directory, { recursive: true, force: true });
  }

  /** Keys may be longer than a file name and differ only where a file system sees no difference. */
  #path(key: string): string {
    return join(this.#directory, createHash('sha256').update(key).digest('hex'));
  }
}
