/**
 * The script of the HTML report: the filter, and links that expand a scenario. It contains no data, and neither `<` nor `&`, so that the
 * page is well-formed XML too.
 */
export const SCRIPT = `
(() => {
  const form = document.getElementById('filter');
  const shown = document.getElementById('shown');
  const scenarios = [...document.querySelectorAll('details.scenario')].map((element) => ({
    element,
    verdict: element.dataset.verdict,
    tags: element.dataset.tags.split('\\n'),
    text: element.querySelector('summary').textContent.toLowerCase(),
  }));
  const filter = () => {
    const chosen = new FormData(form);
    const words = chosen.get('text').toLowerCase().split(/\\s+/);
    const tag = chosen.get('tag');
    const verdicts = chosen.getAll('verdict');
    let count = 0;
    for (const { element, verdict, tags, text } of scenarios) {
      const fits = [
        verdicts.includes(verdict),
        tag === '' ? true : tags.includes(tag.slice(1)),
        words.every((word) => text.includes(word)),
      ].every(Boolean);
      element.hidden = !fits;
      if (fits) count += 1;
    }
    shown.textContent = count + ' of ' + scenarios.length + ' shown';
  };
  const unfold = () => {
    const target = document.getElementById(location.hash.slice(1));
    if (!target?.matches('details.scenario')) return;
    target.hidden = false;
    target.open = true;
    target.scrollIntoView();
  };
  form.addEventListener('input', filter);
  form.addEventListener('submit', (event) => event.preventDefault());
  addEventListener('hashchange', unfold);
  filter();
  unfold();
})();
`;
