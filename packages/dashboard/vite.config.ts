import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { browserContract } from './build/browser-contract.ts';
import { className } from './build/class-name.ts';
import { earlyFont } from './build/early-font.ts';
import { earlyTheme } from './build/early-theme-script.ts';
import { icons } from './build/icons.ts';
import { LIBRARIES, pieceOf } from './build/pieces.ts';
import { precompress } from './build/precompress.ts';

const API = process.env.CULPRIT_BASE_URL ?? 'http://localhost:4800';

export default defineConfig(({ command }) => {
  // Whatever the build is started from, it is the one that people get.
  if (command === 'build') process.env.NODE_ENV = 'production';
  return {
    root: fileURLToPath(new URL('.', import.meta.url)),
    // React has had the hook itself for long; the other name brings a replacement for those that have not.
    resolve: {
      alias: { 'use-sync-external-store/shim/with-selector': 'use-sync-external-store/with-selector' },
    },
    plugins: [browserContract(), icons(), react(), earlyTheme(), earlyFont(), precompress()],
    css: { modules: { generateScopedName: className } },
    build: {
      target: ['chrome125', 'edge125', 'firefox128', 'safari17.5'],
      // The page's policy allows neither inline code nor data addresses (docs/contract/dashboard.md 2.2).
      assetsInlineLimit: 0,
      modulePreload: {
        polyfill: false,
        // The names of all pieces would weigh more in the first one than it saves to ask for them a moment earlier.
        resolveDependencies: (_name, pieces, { hostType }) =>
          hostType === 'html' ? pieces : pieces.filter((piece) => /\.css$|parts-[^/]*\.js$/.test(piece)),
      },
      reportCompressedSize: false,
      cssMinify: 'lightningcss',
      rolldownOptions: {
        output: {
          codeSplitting: {
            groups: [
              { name: 'libraries', test: LIBRARIES, priority: 2 },
              {
                name: (id, context) => pieceOf(id, (each) => context.getModuleInfo(each)),
                debugName: 'own',
                priority: 1,
              },
            ],
          },
        },
      },
    },
    server: { proxy: { '/v1': API, '/health': API, '/docs': API, '/openapi.json': API } },
  };
});
