import { render } from 'preact';
import { App } from './app.js';
import './styles/page.css';

render(<App />, document.querySelector('#page') as Element);
