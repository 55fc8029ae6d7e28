import { join, resolve } from 'node:path';
import { buildInPlace } from './built-sdk.ts';
import { measureModules } from './module-sizes.ts';
import { packSdk } from './pack.ts';
import { ROOT, SDK_PACKAGES } from './sdk-packages.ts';
import { measureSizes, sizeTable } from './sizes.ts';

/** npm run build:sdk builds each client library into its `dist`. */

const USAGE = `Usage: npm run build:sdk builds each client library into its folder dist and prints the sizes for browsers;
       npm run build:sdk -- --pack FOLDER writes the published form of the packages into FOLDER;
       npm run build:sdk -- --modules prints what each source file adds to @culprit/browser.`;

const args = process.argv.slice(2);
const [option, folder] = args;
if (args.length === 0) {
  await buildInPlace();
  console.log(`Built ${SDK_PACKAGES.map(({ name }) => name).join(', ')}.`);
  console.log(sizeTable(await measureSizes(join(ROOT, 'packages/sdk-browser/dist'))));
} else if (option === '--modules' && args.length === 1) {
  for (const { file, bytes, gzippedBytes } of await measureModules('index')) {
    console.log(
      `${file.padEnd(45)}${String(bytes).padStart(6)} minified${String(gzippedBytes).padStart(6)} gzip`,
    );
  }
} else if (option === '--pack' && folder !== undefined && args.length === 2) {
  for (const path of (await packSdk(resolve(folder))).values()) console.log(path);
} else {
  console.log(USAGE);
  process.exitCode = option === '--help' ? 0 : 1;
}
