import type { JsonObject } from '../../../src/events/envelope/json.ts';
import { android, cocoa, flutter, native, unity } from './families/apps.ts';
import { dotnet, go, java, rust } from './families/compiled.ts';
import { elixir, perl, php, python, ruby } from './families/interpreted.ts';
import { node, page, raven, reactNative } from './families/javascript.ts';

/**
 * One event of each family of libraries, written by hand after section 16 of docs/contract/foreign-protocols.md and the
 * documentation of their makers. No recorded body is among them.
 */
interface FamilyEvent {
  family: string;
  event: JsonObject;
  becomes: 'backend_exception' | 'frontend_exception';
  /** What the event must be called, the runtime it says, and its newest own frame. */
  name: string;
  runtime: string;
  frame: string;
  framework?: string;
}

export const FAMILIES: readonly FamilyEvent[] = [
  ...([7, 9, 11] as const).map(
    (major): FamilyEvent => ({
      family: `node ${major}`,
      event: node(major),
      becomes: 'backend_exception',
      name: 'OrderError',
      runtime: 'node',
      frame: '/app/src/web.js',
      ...(major === 11 ? { framework: 'express' } : {}),
    }),
  ),
  ...([7, 11] as const).map(
    (major): FamilyEvent => ({
      family: `page ${major}`,
      event: page(major),
      becomes: 'frontend_exception',
      name: 'TypeError',
      runtime: 'browser',
      frame: 'https://shop.example.com/static/cart.js',
    }),
  ),
  ...(
    [
      [1, 'plain'],
      [1, 'django'],
      [1, 'flask'],
      [2, 'plain'],
      [2, 'django'],
      [2, 'flask'],
    ] as const
  ).map(
    ([major, framework]): FamilyEvent => ({
      family: `python ${major} ${framework}`,
      event: python(major, framework),
      becomes: 'backend_exception',
      name: 'OrderError',
      runtime: 'python',
      frame: 'shop/views.py',
      ...(framework === 'plain' ? {} : { framework }),
    }),
  ),
  {
    family: 'ruby',
    event: ruby,
    becomes: 'backend_exception',
    name: 'Shop::OrderError',
    runtime: 'ruby',
    frame: 'order.rb',
    framework: 'rack',
  },
  {
    family: 'go',
    event: go,
    becomes: 'backend_exception',
    name: '*fmt.wrapError',
    runtime: 'go',
    frame: 'shop.go',
  },
  {
    family: 'php',
    event: php,
    becomes: 'backend_exception',
    name: 'App\\OrderException',
    runtime: 'php',
    frame: '/src/Cart.php',
  },
  {
    family: 'laravel',
    event: { ...php, sdk: { name: 'sentry.php.laravel', version: '4.2.0' } },
    becomes: 'backend_exception',
    name: 'App\\OrderException',
    runtime: 'php',
    frame: '/src/Cart.php',
    framework: 'laravel',
  },
  {
    family: 'java spring',
    event: java,
    becomes: 'backend_exception',
    name: 'com.shop.OrderException',
    runtime: 'jvm',
    frame: 'Orders.java',
    framework: 'spring',
  },
  {
    family: 'java logback',
    event: { ...java, sdk: { name: 'sentry.java.logback', version: '7.1.0' }, request: {}, contexts: {} },
    becomes: 'backend_exception',
    name: 'com.shop.OrderException',
    runtime: 'jvm',
    frame: 'Orders.java',
  },
  {
    family: '.net',
    event: dotnet,
    becomes: 'backend_exception',
    name: 'System.InvalidOperationException',
    runtime: 'dotnet',
    frame: '/src/Shop/Orders.cs',
    framework: 'aspnetcore',
  },
  {
    family: 'android',
    event: android,
    becomes: 'frontend_exception',
    name: 'java.lang.IllegalStateException',
    runtime: 'jvm',
    frame: 'CartActivity.kt',
  },
  {
    family: 'cocoa',
    event: cocoa,
    becomes: 'frontend_exception',
    name: 'EXC_BREAKPOINT',
    runtime: 'swift',
    frame: 'Cart.swift',
  },
  {
    family: 'react native',
    event: reactNative,
    becomes: 'frontend_exception',
    name: 'TypeError',
    runtime: 'react-native',
    frame: 'app:///index.android.bundle',
    framework: 'react-native',
  },
  {
    family: 'flutter',
    event: flutter,
    becomes: 'frontend_exception',
    name: 'StateError',
    runtime: 'dart',
    frame: 'cart.dart',
    framework: 'flutter',
  },
  {
    family: 'rust',
    event: rust,
    becomes: 'backend_exception',
    name: 'panic',
    runtime: 'rust',
    frame: 'cart.rs',
  },
  {
    family: 'elixir',
    event: elixir,
    becomes: 'backend_exception',
    name: 'ArithmeticError',
    runtime: 'elixir',
    frame: 'lib/shop/cart.ex',
  },
  {
    family: 'perl',
    event: perl,
    becomes: 'backend_exception',
    name: 'Shop::Error',
    runtime: 'perl',
    frame: '/app/lib/Shop/Cart.pm',
  },
  {
    family: 'unity',
    event: unity,
    becomes: 'frontend_exception',
    name: 'NullReferenceException',
    runtime: 'dotnet',
    frame: 'Assets/Cart.cs',
    framework: 'unity',
  },
  {
    family: 'native',
    event: native,
    becomes: 'backend_exception',
    name: 'SIGSEGV',
    runtime: 'native',
    frame: '/app/shop',
  },
  {
    family: 'raven',
    event: raven,
    becomes: 'backend_exception',
    name: 'OrderError',
    runtime: 'python',
    frame: 'shop/views.py',
  },
];

/** A copy that a test may change. */
export function familyEvent(family: string): JsonObject {
  const found = FAMILIES.find((each) => each.family === family);
  if (found === undefined) throw new RangeError(`no family ${family}`);
  return structuredClone(found.event);
}
