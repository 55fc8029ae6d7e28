import { promisify } from 'node:util';
import { brotliCompress, constants } from 'node:zlib';
import type { Plugin } from 'vite';

const COMPRESSIBLE = /\.(?:js|css|html|svg|json|txt)$/;
const compress = promisify(brotliCompress);

/** Writes the smallest form of every text beside it, so that the service compresses nothing while it serves. */
export function precompress(): Plugin {
  return {
    name: 'culprit-precompress',
    apply: 'build',
    generateBundle: {
      order: 'post',
      async handler(_options, bundle) {
        const texts = Object.values(bundle).filter(({ fileName }) => COMPRESSIBLE.test(fileName));
        await Promise.all(
          texts.map(async (file) => {
            const content = Buffer.from(file.type === 'chunk' ? file.code : file.source);
            const params = {
              [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
              [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
            };
            this.emitFile({
              type: 'asset',
              fileName: `${file.fileName}.br`,
              source: await compress(content, { params }),
            });
          }),
        );
      },
    },
  };
}
