import { SourceMap } from 'node:module';
import { join, relative } from 'node:path';
import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import { ROOT } from './sdk-packages.ts';

/** The size that a source file adds to a bundle. */
interface ModuleSize {
  file: string;
  /** After minifying. */
  bytes: number;
  /** Its share of the bundle after gzip: by what its own text weighs alone. */
  gzippedBytes: number;
}

/** The sizes of the source files in an entry of the browser library, the largest first. */
export async function measureModules(entry: string): Promise<ModuleSize[]> {
  const input = join(ROOT, 'packages/sdk-browser/src', `${entry}.ts`);
  const bundler = await rolldown({
    input,
    platform: 'browser',
    tsconfig: false,
    transform: { target: 'es2020' },
  });
  const { output } = await bundler.generate({
    format: 'esm',
    minify: true,
    sourcemap: true,
    comments: false,
  });
  await bundler.close();
  const { code, map } = output[0];
  if (!map) throw new Error('The bundle has no source map.');
  const sources = new SourceMap(JSON.parse(map.toString()));
  const texts = new Map<string, string>();
  for (const [line, text] of code.split('\n').entries()) {
    for (let column = 0; column < text.length; column += 1) {
      const found = sources.findEntry(line, column);
      const file = ('originalSource' in found ? found.originalSource : undefined) ?? '';
      texts.set(file, (texts.get(file) ?? '') + text[column]);
    }
  }
  const alone = [...texts].map(([file, text]) => ({
    file,
    text,
    bytes: gzipSync(text, { level: 9 }).length,
  }));
  const sum = alone.reduce((total, { bytes }) => total + bytes, 0);
  const whole = gzipSync(code, { level: 9 }).length;
  return alone
    .map(({ file, text, bytes }) => ({
      file: relative(ROOT, join(ROOT, 'packages', file.replace(/^.*packages\//, ''))),
      bytes: text.length,
      gzippedBytes: Math.round((bytes / sum) * whole),
    }))
    .sort((a, b) => b.bytes - a.bytes);
}
