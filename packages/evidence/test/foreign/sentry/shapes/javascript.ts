import { frames, own, type Shape } from './shape.ts';

/** Pages, servers and desktop programs in JavaScript. */
export const JAVASCRIPT_SHAPES: readonly Shape[] = [
  {
    client: 'a page of raven-js 1, whose frames stand beside the exception',
    event: {
      platform: 'javascript',
      logger: 'javascript',
      culprit: 'https://shop.example/app.js',
      message: 'x is not defined',
      'sentry.interfaces.Http': { url: 'https://shop.example/cart' },
      exception: { type: 'ReferenceError', value: 'x is not defined' },
      stacktrace: frames(own('total', 'https://shop.example/app.js', { colno: 3 })),
      project: '2',
    },
    type: 'frontend_exception',
    says: { 'payload.name': 'ReferenceError', 'payload.route': '/cart' },
    frame: 'total',
  },
  {
    client: 'a worker of Cloudflare',
    event: {
      platform: 'javascript',
      sdk: { name: 'sentry.javascript.cloudflare', version: '9.1.0' },
      contexts: { runtime: { name: 'cloudflare' }, cloud_resource: { 'cloud.provider': 'cloudflare' } },
      request: { method: 'GET', url: 'https://api.example/v1/cart', headers: { host: 'api.example' } },
      exception: { values: [{ type: 'Error', value: 'x', stacktrace: frames(own('fetch', 'index.js')) }] },
    },
    type: 'backend_exception',
    says: { 'service.runtime': 'cloudflare', 'payload.request.path': '/v1/cart' },
    frame: 'fetch',
  },
  {
    client: 'the edge of Vercel',
    event: {
      platform: 'javascript',
      sdk: { name: 'sentry.javascript.vercel-edge' },
      contexts: { runtime: { name: 'vercel-edge' } },
      exception: { values: [{ type: 'Error', value: 'x' }] },
    },
    type: 'backend_exception',
    says: { 'service.runtime': 'vercel-edge' },
  },
  {
    client: 'Deno',
    event: {
      platform: 'javascript',
      sdk: { name: 'sentry.javascript.deno' },
      contexts: { runtime: { name: 'deno', version: '2.1.0', target: 'x86_64-unknown-linux-gnu' } },
      exception: {
        values: [{ type: 'TypeError', value: 'x', stacktrace: frames(own('main', 'app:///main.ts')) }],
      },
    },
    type: 'backend_exception',
    says: { 'service.runtime': 'deno' },
    frame: 'main',
  },
  {
    client: 'Bun',
    event: {
      platform: 'node',
      sdk: { name: 'sentry.javascript.bun' },
      contexts: { runtime: { name: 'bun', version: '1.2.0' } },
      exception: { values: [{ type: 'TypeError', value: 'x' }] },
    },
    type: 'backend_exception',
    says: { 'service.runtime': 'bun' },
  },
  {
    client: 'the main process of Electron',
    event: {
      platform: 'node',
      sdk: { name: 'sentry.javascript.electron', version: '5.0.0' },
      tags: { 'event.process': 'browser', 'event.environment': 'javascript' },
      contexts: {
        runtime: { name: 'Electron', version: '30.0.0' },
        os: { name: 'macOS', version: '14.1' },
        app: { app_name: 'shop', app_version: '2.0.0' },
      },
      exception: {
        values: [{ type: 'Error', value: 'x', stacktrace: frames(own('open', 'app:///main.js')) }],
      },
    },
    type: 'frontend_exception',
    says: {
      'service.framework': 'electron',
      'payload.device.app_version': '2.0.0',
      'payload.device.os_name': 'macOS',
    },
    frame: 'open',
  },
  {
    client: 'React Native with Hermes',
    event: {
      platform: 'javascript',
      sdk: { name: 'sentry.javascript.react-native' },
      contexts: {
        os: { name: 'iOS', version: '17' },
        runtime: { name: 'hermes', version: 'for RN 0.74' },
        device: { model: 'iPhone15,2' },
      },
      exception: {
        values: [
          {
            type: 'Error',
            value: 'x',
            stacktrace: frames(own('total', 'app:///main.jsbundle', { colno: 99 })),
          },
        ],
      },
    },
    type: 'frontend_exception',
    says: { 'service.runtime': 'react-native', 'payload.device.model': 'iPhone15,2' },
    frame: 'total',
  },
  {
    client: 'a page whose promise was rejected with an object',
    event: {
      platform: 'javascript',
      exception: {
        values: [
          {
            type: 'UnhandledRejection',
            value: 'Object captured as promise rejection with keys: code, reason',
            mechanism: { type: 'onunhandledrejection', handled: false, synthetic: true },
          },
        ],
      },
      extra: { __serialized__: { code: 4, reason: 'x' } },
    },
    type: 'frontend_exception',
    says: {
      'payload.name': 'UnhandledRejection',
      'payload.handled': false,
      'context.extra.__serialized__.code': 4,
    },
  },
  {
    client: 'React, which names the component that caught an error as its cause',
    event: {
      platform: 'javascript',
      sdk: { name: 'sentry.javascript.nextjs', version: '8.30.0' },
      request: { url: 'https://shop.example/orders/7' },
      exception: {
        values: [
          {
            type: 'React ErrorBoundary TypeError',
            value: 'x is undefined',
            mechanism: { type: 'chained', source: 'cause', exception_id: 1, parent_id: 0 },
            stacktrace: frames(own('Boundary', 'https://shop.example/app.js')),
          },
          {
            type: 'TypeError',
            value: 'x is undefined',
            mechanism: { type: 'generic', handled: false, exception_id: 0 },
            stacktrace: frames(own('Cart', 'https://shop.example/app.js')),
          },
        ],
      },
    },
    type: 'frontend_exception',
    says: {
      'payload.name': 'TypeError',
      'payload.exceptions.1': undefined,
      'payload.route': '/orders/7',
      'payload.handled': false,
    },
    frame: 'Cart',
  },
];
