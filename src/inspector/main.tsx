import { render } from 'preact';
import { App } from './app.js';
import './styles/page.css';

const root = document.querySelector('#page');
if (root !== null) render(<App />, root);
