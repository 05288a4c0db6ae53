import { render } from 'preact';
import { App } from './app.js';
import { Session, SessionProvider } from './session.js';
import './styles/page.css';

const root = document.querySelector('#page');
if (root !== null) {
  render(
    <SessionProvider value={new Session()}>
      <App />
    </SessionProvider>,
    root,
  );
}
