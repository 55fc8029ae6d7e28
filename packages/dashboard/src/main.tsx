import './base.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { router } from './router.tsx';
import { watchBuild } from './shell/frame/new-build.ts';
import { watchParts } from './shell/parts/lost-parts.ts';

const root = document.getElementById('root');
if (root === null) throw new Error('the page has no root');
watchBuild();
watchParts(router);
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
