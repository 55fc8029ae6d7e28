import { describe, expect, it } from 'vitest';
import { fingerprintEvent } from '../../../src/events/fingerprint/fingerprint.ts';
import { frontendException } from '../build-event.ts';

const stackAt = (file: string) => `Error: boom
    at showTotal (${file}:1:4821)
    at onBuy (${file}:1:5100)`;
const keyAt = (file: string) =>
  fingerprintEvent(frontendException({ message: 'boom', stack: stackAt(file) }))?.value;

const APP_ID = '0A1B2C3D-1111-2222-3333-444455556666';

describe('the page of an app', () => {
  it.each([
    'capacitor://localhost/assets/cart.js',
    'ionic://localhost/assets/cart.js',
    'app:///assets/cart.js',
    'app://./js/cart.js',
    'tauri://localhost/assets/cart.js',
    'file:///android_asset/www/assets/cart.js',
    `file:///var/containers/Bundle/Application/${APP_ID}/App.app/public/assets/cart.js`,
    `/private/var/containers/Bundle/Application/${APP_ID}/App.app/cart.js`,
    `http://localhost/_capacitor_file_/var/mobile/Containers/Data/Application/${APP_ID}/cart.js`,
    'file:///data/user/0/com.shop/files/public/assets/cart.js',
    'file:///Applications/Shop.app/Contents/Resources/app.asar/dist/assets/cart.js',
    'file:///C:/Users/a/AppData/Local/Programs/shop/resources/app.asar/dist/cart.js',
    'ms-appx-web:///assets/cart.js',
    'capacitor://localhost/assets/cart-Bx3nQzTr.js',
  ])('at %s has the key of the same page on a server', (file) => {
    expect(keyAt(file)).toBe(keyAt('https://localhost/assets/cart.js'));
  });

  it.each([
    'file:///android_asset/www/main.js',
    'capacitor://localhost/main.js',
    `file:///var/containers/Bundle/Application/${APP_ID}/App.app/public/main.js`,
  ])('at %s needs no directory of the package for a name that says little', (file) => {
    expect(keyAt(file)).toBe(keyAt('https://localhost/main.js'));
  });

  it('is another one for another file', () => {
    expect(keyAt('capacitor://localhost/assets/cart.js')).not.toBe(
      keyAt('capacitor://localhost/assets/mail.js'),
    );
  });

  it('is no file of a server', () => {
    expect(keyAt('file:///srv/app/assets/cart.js')).not.toBe(keyAt('https://localhost/assets/cart.js'));
    expect(keyAt('/var/task/assets/cart.js')).not.toBe(keyAt('https://localhost/assets/cart.js'));
  });
});
