/** Libraries of others that send here once their address is changed (docs/contract/foreign-protocols.md 15). */
interface ForeignLibrary {
  id: string;
  name: string;
  /** Returns the line that replaces the old address in the application. */
  line: (dsn: string) => string;
  /** The file or setting for that line. */
  where: string;
  /** Returns the code or command that sends a test error with the library itself. */
  test: (dsn: string) => string;
}

/** One for each language whose library people have; `docs/switching.md` shows the same lines. */
export const sentryLibraries: readonly ForeignLibrary[] = [
  {
    id: 'sentry-javascript',
    name: 'Sentry for JavaScript',
    where: 'where Sentry.init is called, in pages and in Node',
    line: (dsn) => `Sentry.init({ dsn: '${dsn}' })`,
    test: (dsn) =>
      `node -e "require('@sentry/node').init({ dsn: '${dsn}' }); setTimeout(() => { throw new Error('Hello from Node'); })"`,
  },
  {
    id: 'sentry-python',
    name: 'Sentry for Python',
    where: 'where sentry_sdk.init is called',
    line: (dsn) => `sentry_sdk.init(dsn='${dsn}')`,
    test: (dsn) =>
      `python3 -c "import sentry_sdk; sentry_sdk.init(dsn='${dsn}'); raise RuntimeError('Hello from Python')"`,
  },
  {
    id: 'sentry-ruby',
    name: 'Sentry for Ruby',
    where: 'in config/initializers/sentry.rb, or where Sentry.init is called',
    line: (dsn) => `Sentry.init { |c| c.dsn = '${dsn}' }`,
    test: () => "Sentry.capture_message('Hello from Ruby', level: :error)",
  },
  {
    id: 'sentry-go',
    name: 'Sentry for Go',
    where: 'where sentry.Init is called',
    line: (dsn) => `sentry.Init(sentry.ClientOptions{Dsn: "${dsn}"})`,
    test: () => 'sentry.CaptureException(errors.New("Hello from Go"))',
  },
  {
    id: 'sentry-php',
    name: 'Sentry for PHP',
    where: 'where the library is started',
    line: (dsn) => `\\Sentry\\init(['dsn' => '${dsn}']);`,
    test: () => "\\Sentry\\captureException(new \\Exception('Hello from PHP'));",
  },
  {
    id: 'sentry-laravel',
    name: 'Sentry for Laravel',
    where: 'in .env',
    line: (dsn) => `SENTRY_LARAVEL_DSN=${dsn}`,
    test: () => 'php artisan sentry:test',
  },
  {
    id: 'sentry-java',
    name: 'Sentry for Java',
    where: 'in application.properties, or in sentry.properties as dsn=',
    line: (dsn) => `sentry.dsn=${dsn}`,
    test: () => 'Sentry.captureException(new RuntimeException("Hello from Java"));',
  },
  {
    id: 'sentry-dotnet',
    name: 'Sentry for .NET',
    where: 'where SentrySdk.Init is called',
    line: (dsn) => `SentrySdk.Init(o => o.Dsn = "${dsn}")`,
    test: () => 'SentrySdk.CaptureException(new Exception("Hello from .NET"));',
  },
  {
    id: 'sentry-react-native',
    name: 'Sentry for React Native',
    where: 'where Sentry.init is called',
    line: (dsn) => `Sentry.init({ dsn: '${dsn}' })`,
    test: () => "Sentry.captureException(new Error('Hello from React Native'))",
  },
  {
    id: 'sentry-flutter',
    name: 'Sentry for Flutter',
    where: 'in the options of SentryFlutter.init',
    line: (dsn) => `options.dsn = '${dsn}'`,
    test: () => "await Sentry.captureException(Exception('Hello from Flutter'));",
  },
  {
    id: 'sentry-android',
    name: 'Sentry for Android',
    where: 'in AndroidManifest.xml',
    line: (dsn) => `<meta-data android:name="io.sentry.dsn" android:value="${dsn}" />`,
    test: () => 'Sentry.captureException(RuntimeException("Hello from Android"))',
  },
  {
    id: 'sentry-apple',
    name: 'Sentry for iOS',
    where: 'in the options of SentrySDK.start',
    line: (dsn) => `options.dsn = "${dsn}"`,
    test: () => 'SentrySDK.capture(error: NSError(domain: "Hello from iOS", code: 1))',
  },
  {
    id: 'sentry-rust',
    name: 'Sentry for Rust',
    where: 'where sentry::init is called',
    line: (dsn) => `sentry::init("${dsn}")`,
    test: () => 'sentry::capture_message("Hello from Rust", sentry::Level::Error);',
  },
  {
    id: 'sentry-elixir',
    name: 'Sentry for Elixir',
    where: 'in config/runtime.exs',
    line: (dsn) => `config :sentry, dsn: "${dsn}"`,
    test: () => 'mix sentry.send_test_event',
  },
];
