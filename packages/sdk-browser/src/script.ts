export * from './index.ts';
export * from './integrations.ts';
