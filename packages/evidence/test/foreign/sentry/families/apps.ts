import type { JsonObject } from '../../../../src/events/envelope/json.ts';
import { AT, chain, frame } from './parts.ts';

/** Events of apps, games and native programs. */

export const android: JsonObject = {
  event_id: 'ad0e0d0c0b0a09080706050403020100',
  platform: 'java',
  timestamp: '2025-11-29T00:00:00.123Z',
  level: 'fatal',
  environment: 'production',
  release: 'com.shop.app@2.1+41',
  dist: '41',
  sdk: { name: 'sentry.java.android', version: '7.1.0' },
  user: { id: 'install-1' },
  contexts: {
    os: { name: 'Android', version: '14' },
    device: {
      manufacturer: 'Google',
      brand: 'google',
      model: 'Pixel 8',
      arch: 'arm64-v8a',
      timezone: 'Europe/Berlin',
    },
    app: { app_identifier: 'com.shop.app', app_version: '2.1', app_build: '41' },
  },
  exception: chain({
    type: 'IllegalStateException',
    module: 'java.lang',
    value: 'no cart',
    thread_id: 1,
    mechanism: { type: 'UncaughtExceptionHandler', handled: false },
    stacktrace: {
      frames: [
        frame('main', 'ActivityThread.java', 7_000, { module: 'android.app.ActivityThread', in_app: false }),
        frame('onCreate', 'CartActivity.kt', 31, { module: 'com.shop.app.CartActivity' }),
      ],
    },
  }),
  threads: chain(
    {
      id: 1,
      name: 'main',
      crashed: true,
      current: true,
      main: true,
      stacktrace: { frames: [frame('x', 'X.java', 1)] },
    },
    { id: 2, name: 'pool', crashed: false, stacktrace: { frames: [frame('y', 'Y.java', 1)] } },
  ),
  breadcrumbs: [
    {
      timestamp: '2025-11-29T00:00:00.000Z',
      type: 'navigation',
      category: 'ui.lifecycle',
      data: { screen: 'Cart', state: 'created' },
    },
    {
      timestamp: '2025-11-29T00:00:00.000Z',
      type: 'http',
      category: 'http',
      data: {
        url: 'https://api',
        method: 'GET',
        status_code: 500,
        start_timestamp: 1_000,
        end_timestamp: 1_250,
      },
    },
  ],
};

export const cocoa: JsonObject = {
  event_id: 'ae0e0d0c0b0a09080706050403020100',
  platform: 'cocoa',
  timestamp: AT,
  level: 'fatal',
  environment: 'production',
  release: 'com.shop.app@2.1+41',
  sdk: { name: 'sentry.cocoa', version: '8.20.0' },
  contexts: {
    os: { name: 'iOS', version: '17.1' },
    device: { model: 'iPhone14,2', arch: 'arm64', family: 'iOS' },
    app: { app_version: '2.1', app_build: '41' },
  },
  debug_meta: {
    images: [{ type: 'macho', code_file: '/var/Shop.app/Shop', debug_id: 'x', image_addr: '0x1000' }],
  },
  exception: chain({
    type: 'EXC_BREAKPOINT',
    value: 'Unexpectedly found nil',
    thread_id: 0,
    mechanism: { type: 'mach', handled: false, meta: { signal: { number: 5, name: 'SIGTRAP' } } },
    stacktrace: {
      frames: [
        frame('UIApplicationMain', '', 0, {
          filename: null,
          lineno: null,
          package: '/System/UIKitCore',
          in_app: false,
          instruction_addr: '0x2000',
        }),
        frame('CartViewController.total()', 'Cart.swift', 12, {
          package: '/private/var/containers/Shop.app/Shop',
          instruction_addr: '0x1010',
          image_addr: '0x1000',
        }),
      ],
    },
  }),
  threads: chain({ id: 0, crashed: true, current: true }),
};

export const flutter: JsonObject = {
  event_id: 'b00e0d0c0b0a09080706050403020100',
  platform: 'dart',
  timestamp: '2025-11-29T00:00:00.123456Z',
  level: 'fatal',
  environment: 'production',
  release: 'com.shop.app@2.1+41',
  sdk: { name: 'sentry.dart.flutter', version: '7.14.0' },
  contexts: {
    os: { name: 'iOS', version: '17.1' },
    device: { model: 'iPhone14,2' },
    runtime: { name: 'Dart', version: '3.2' },
  },
  exception: chain({
    type: 'StateError',
    value: 'Bad state: no cart',
    mechanism: { type: 'FlutterError', handled: false },
    stacktrace: {
      frames: [
        frame('StatefulElement.build', 'framework.dart', 5_000, {
          abs_path: 'package:flutter/src/widgets/framework.dart',
          package: 'flutter',
          in_app: false,
        }),
        frame('Cart.total', 'cart.dart', 12, {
          abs_path: 'package:shop/cart.dart',
          package: 'shop',
          colno: 5,
        }),
      ],
    },
  }),
};

export const unity: JsonObject = {
  event_id: 'b40e0d0c0b0a09080706050403020100',
  platform: 'csharp',
  timestamp: '2025-11-29T00:00:00.123Z',
  level: 'error',
  environment: 'production',
  sdk: { name: 'sentry.dotnet.unity', version: '2.0.0' },
  contexts: {
    os: { name: 'Windows', version: '11' },
    device: { model: 'System Product Name', arch: 'x64' },
    app: { app_version: '2.1' },
    unity: { editor_version: '2022.3' },
  },
  exception: chain({
    type: 'NullReferenceException',
    value: 'Object reference not set to an instance of an object',
    mechanism: { type: 'Unity.LogException', handled: false },
    stacktrace: {
      frames: [frame('Shop.Cart:Total ()', 'Assets/Cart.cs', 12, { module: 'Shop.Cart' })],
    },
  }),
};

export const native: JsonObject = {
  event_id: 'b50e0d0c0b0a09080706050403020100',
  platform: 'native',
  timestamp: '2025-11-29T00:00:00.123Z',
  level: 'fatal',
  environment: 'production',
  sdk: { name: 'sentry.native', version: '0.7.0' },
  contexts: { os: { name: 'Linux', version: '6.1' } },
  debug_meta: { images: [{ type: 'elf', code_file: '/app/shop', image_addr: '0x1000' }] },
  exception: chain({
    type: 'SIGSEGV',
    value: 'Segfault',
    mechanism: { type: 'signalhandler', synthetic: true, handled: false, meta: { signal: { number: 11 } } },
    stacktrace: {
      frames: [
        {
          function: '__libc_start_main',
          package: '/lib/libc.so.6',
          instruction_addr: '0x3000',
          in_app: false,
        },
        {
          function: 'cart_total',
          package: '/app/shop',
          instruction_addr: '0x1010',
          symbol_addr: '0x1000',
          in_app: true,
        },
      ],
    },
  }),
};
