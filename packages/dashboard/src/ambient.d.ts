declare module '*.module.css' {
  const names: Readonly<Record<string, string>>;
  export default names;
}
declare module '*.css';
declare module 'virtual:icon/*' {
  /** Path data on a ground of 16 by 16. */
  const path: string;
  export default path;
}

interface ImportMetaEnv {
  readonly PROD: boolean;
}
interface ImportMeta {
  readonly env: ImportMetaEnv;
}
