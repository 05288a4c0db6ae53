/**
 * The script of a study's report: it filters the plots by metric and key. It contains no data, and neither `<` nor `&`, so that the page is
 * well-formed XML too.
 */
export const SCRIPT = `
(() => {
  const form = document.getElementById('filter');
  const shown = document.getElementById('shown');
  const keys = [...form.parentElement.querySelectorAll('section.key')];
  const filter = () => {
    const words = new FormData(form).get('text').toLowerCase().split(/\\s+/);
    let count = 0;
    for (const key of keys) {
      key.hidden = !words.every((word) => key.dataset.name.includes(word));
      if (!key.hidden) count += 1;
    }
    shown.textContent = count + ' of ' + keys.length + ' shown';
  };
  form.addEventListener('input', filter);
  form.addEventListener('submit', (event) => event.preventDefault());
  filter();
  // A saved plot has no style sheet: it takes its colours and fonts along.
  const styles = ['fill', 'fill-opacity', 'stroke', 'stroke-width', 'stroke-linecap', 'font-family', 'font-size'];
  for (const link of document.querySelectorAll('a[download]'))
    link.addEventListener('click', () => {
      const svg = link.closest('figure').querySelector('svg');
      const copy = svg.cloneNode(true);
      const parts = copy.querySelectorAll('*');
      for (const [at, part] of svg.querySelectorAll('*').entries())
        for (const name of styles) parts[at].setAttribute(name, getComputedStyle(part)[name]);
      const file = new Blob([new XMLSerializer().serializeToString(copy)], { type: 'image/svg+xml' });
      link.href = URL.createObjectURL(file);
    });
})();
`;
