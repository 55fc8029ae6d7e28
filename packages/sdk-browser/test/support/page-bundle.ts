import { rolldown } from 'rolldown';
import { packedSdk } from '../../../sdk-test-hosts/packed-sdk.ts';

const ENTRY = '\0page';

/**
 * What a bundler makes of a page's module that imports the packed library: one classic script.
 * @param conditions of exports, besides the usual ones
 */
export async function bundlePage(source: string, conditions: readonly string[] = []): Promise<string> {
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
    const { output } = await bundler.generate({
      format: 'iife',
      name: 'page',
      minify: true,
      codeSplitting: false,
    });
    return output[0].code;
  } finally {
    await bundler.close();
  }
}
