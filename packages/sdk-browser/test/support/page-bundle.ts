import { type OutputOptions, rolldown } from 'rolldown';
import { packedSdk } from '../../../sdk-test-hosts/packed-sdk.ts';

const ENTRY = '\0page';

/**
 * What a bundler makes of a page's module that imports the packed library: one classic script.
 * @param conditions of exports, besides the usual ones
 */
export async function bundlePage(source: string, conditions: readonly string[] = []): Promise<string> {
  const [chunk] = await bundle(source, conditions, { format: 'iife', name: 'page', codeSplitting: false });
  return chunk?.code ?? '';
}

/** The same as modules, by the names of their files: the page loads the first one. */
export async function bundlePageModules(source: string): Promise<{ fileName: string; code: string }[]> {
  return bundle(source, [], { format: 'esm' });
}

async function bundle(source: string, conditions: readonly string[], options: OutputOptions) {
  const { nodeModules } = await packedSdk();
  const bundler = await rolldown({
    input: ENTRY,
    platform: 'browser',
    tsconfig: false,
    resolve: { modules: [nodeModules], conditionNames: [...conditions, 'import', 'default'] },
    plugins: [
      {
        name: 'page',
        resolveId: (id) => (id === ENTRY ? id : null),
        load: (id) => (id === ENTRY ? source : null),
      },
    ],
  });
  try {
    const { output } = await bundler.generate({ ...options, minify: true });
    return output.filter((file) => file.type === 'chunk');
  } finally {
    await bundler.close();
  }
}
