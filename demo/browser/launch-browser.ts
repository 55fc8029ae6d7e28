import chromium from '@sparticuz/chromium';
import { type Browser, type LaunchOptions, chromium as launcher } from 'playwright-core';
import { ConnectError } from '../service/connect.ts';

/** Browsers of the machine itself, by the names that Playwright has for them. */
const INSTALLED = ['chrome', 'msedge', 'chromium'] as const;
const ARGUMENTS = [
  '--no-sandbox',
  '--disable-dev-shm-usage',
  '--disable-gpu',
  '--disable-background-networking',
];

/** A headless Chromium of the lockfile where there is one for this machine, else the one that is installed. */
export async function launchBrowser(): Promise<Browser> {
  if (process.platform === 'linux' && process.arch === 'x64') {
    return await launcher.launch({
      executablePath: await chromium.executablePath(),
      args: ARGUMENTS,
      env: { ...process.env, LANG: 'en_US.UTF-8' },
    });
  }
  for (const channel of INSTALLED) {
    const browser = await launchInstalled({ channel });
    if (browser !== null) return browser;
  }
  throw new ConnectError('The demo visits its shop with a browser and found none: install Chrome or Edge.');
}

async function launchInstalled(options: LaunchOptions): Promise<Browser | null> {
  try {
    return await launcher.launch(options);
  } catch {
    return null;
  }
}
