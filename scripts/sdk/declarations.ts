import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { isolatedDeclarationSync } from 'rolldown/experimental';
import { filesBelow } from './files-below.ts';
import { SDK_PACKAGES, type SdkPackage, sourceFolder } from './sdk-packages.ts';

const CORE = 'sdk-core';
/** A comment, which stays unchanged, or the name of what is imported. */
const SPECIFIER = /(\/\*[\s\S]*?\*\/|^\s*\/\/.*)|((?:\bfrom|\bimport)\s*\(?\s*)(['"])([^'"]+)\3/gm;

/**
 * Writes the declarations of all packages into a folder of their own. Each follows from its own file alone
 * (`isolatedDeclarations`), so no compiler is needed: `npm start` builds the libraries too.
 */
export function emitDeclarations(): { folder: string; remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'culprit-types-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    for (const built of SDK_PACKAGES) {
      for (const file of filesBelow(sourceFolder(built))) {
        const text = readFileSync(join(sourceFolder(built), file), 'utf8');
        const { code, errors } = isolatedDeclarationSync(file, text, { stripInternal: true });
        if (errors.length > 0) throw new Error(untyped(`packages/${built.folder}/src/${file}`, errors));
        const path = join(folder, built.folder, 'src', file.replace(/\.ts$/, '.d.ts'));
        mkdirSync(dirname(path), { recursive: true });
        writeFileSync(path, code);
      }
    }
    return { folder, remove };
  } catch (error) {
    remove();
    throw error;
  }
}

function untyped(path: string, errors: readonly { codeframe: string | null; message: string }[]): string {
  const [first] = errors;
  return `${path}: what it exports needs a written type.\n${first?.codeframe ?? first?.message}`;
}

/**
 * Writes the declarations that the entries of a package reach, twice: for importers that are modules and for those
 * that are CommonJS. Those of the core come along, because the core is bundled in. Fails for a name from outside.
 */
export function writeDeclarations(built: SdkPackage, emitted: string, into: string): void {
  const waiting = [...built.entries, ...built.edgeEntries].map((entry) =>
    join(emitted, built.folder, 'src', `${entry}.d.ts`),
  );
  const written = new Set<string>();
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (written.has(path)) continue;
    written.add(path);
    const text = readFileSync(path, 'utf8');
    const from = path;
    const write = (extension: string) => {
      const rewritten = text.replace(
        SPECIFIER,
        (all, comment: string, before = '', quote = '', specifier = '') => {
          if (comment !== undefined) return all;
          const target = declarationOf(specifier, from, built);
          waiting.push(target);
          const to = relative(
            dirname(publishedPath(from, built, emitted)),
            publishedPath(target, built, emitted),
          );
          const named = (to.startsWith('.') ? to : `./${to}`).replace(/\.d\.ts$/, `.${extension}`);
          return `${before}${quote}${named}${quote}`;
        },
      );
      const destination = join(into, publishedPath(from, built, emitted)).replace(
        /\.d\.ts$/,
        extension === 'cjs' ? '.d.cts' : '.d.ts',
      );
      mkdirSync(dirname(destination), { recursive: true });
      writeFileSync(destination, rewritten);
    };
    if (/\/\/\/\s*<reference/.test(text)) throw new Error(`${built.name}: ${path} refers to types of others`);
    write('js');
    if (built.format !== 'esm' || built.old !== undefined) write('cjs');
  }
}

function declarationOf(specifier: string, from: string, built: SdkPackage): string {
  const target = resolve(dirname(from), specifier.replace(/\.ts$/, '.d.ts'));
  if (specifier.startsWith('.') && existsSync(target)) return target;
  throw new Error(`${built.name}: the types of ${from} name ${specifier}, which is outside the package`);
}

/** Returns the path of a published declaration: own ones as in the sources, those of the core in a separate folder. */
function publishedPath(path: string, built: SdkPackage, emitted: string): string {
  const own = relative(join(emitted, built.folder, 'src'), path);
  if (!own.startsWith('..')) return own;
  const ofCore = relative(join(emitted, CORE, 'src'), path);
  if (!ofCore.startsWith('..')) return join('core', ofCore);
  throw new Error(`${built.name}: the types name ${path}, which is outside the package`);
}
