/** The colours and fonts of all pages, light and dark. The build puts them into the inspector's style as `theme.css`. */
export const THEME = `
:root {
  color-scheme: light dark;
  --back: #ffffff;
  --raised: #ffffff;
  --sunken: #f6f7f9;
  --hover: #f0f2f6;
  --line: #e1e5eb;
  --line-strong: #c3cad5;
  --text: #191d24;
  --quiet: #586273;
  --accent: #4b45d6;
  --accent-back: #eeedfd;
  --on-accent: #ffffff;
  --good: #13703b;
  --good-back: #e6f5ec;
  --bad: #b3261e;
  --bad-back: #fdecea;
  --warn: #7a5200;
  --warn-back: #fdf3dc;
  --mark: #fff3c4;
  --shadow: 0 1px 2px rgb(16 24 40 / 6%);
  --overlay: 0 12px 40px rgb(16 24 40 / 18%);
  --mono: ui-monospace, 'SF Mono', 'Cascadia Mono', 'Segoe UI Mono', Menlo, 'DejaVu Sans Mono', monospace;
  --radius: 8px;
  --chart-1: #4b45d6;
  --chart-2: #0b7f83;
  --chart-3: #b4570f;
  --chart-4: #a3257f;
  --chart-5: #2f7d32;
  --chart-6: #6b7280;
}

@media (prefers-color-scheme: dark) {
  :root {
    --back: #0e1116;
    --raised: #151920;
    --sunken: #1a1f27;
    --hover: #1f252e;
    --line: #262d38;
    --line-strong: #3b4554;
    --text: #e6e9ef;
    --quiet: #9ba6b6;
    --accent: #a09cff;
    --accent-back: #232146;
    --on-accent: #12102e;
    --good: #6bcf93;
    --good-back: #12291c;
    --bad: #ff938a;
    --bad-back: #351917;
    --warn: #e9b949;
    --warn-back: #2e2510;
    --mark: #4a3f12;
    --shadow: none;
    --overlay: 0 12px 40px rgb(0 0 0 / 60%);
    --chart-1: #a09cff;
    --chart-2: #4fc4c4;
    --chart-3: #f2a06b;
    --chart-4: #f08ccf;
    --chart-5: #7fcf83;
    --chart-6: #9ba6b6;
  }
}
`;
