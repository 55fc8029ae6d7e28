import chromium from '@sparticuz/chromium';
import { type Browser, chromium as launcher } from 'playwright-core';

/**
 * A headless Chromium from the lockfile. The package's own arguments are left out on purpose: they switch off web
 * security and run everything in one process, which hides what a test wants to see.
 */
export async function launchBrowser(): Promise<Browser> {
  return await launcher.launch({
    executablePath: await chromium.executablePath(),
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu', '--disable-background-networking'],
    env: { ...process.env, LANG: 'en_US.UTF-8' },
  });
}
