/**
 * The script of the limits report, which filters the matrix by state class. It contains no data, and neither `<` nor `&`, so that the page
 * is also well-formed XML.
 */
export const SCRIPT = `
(() => {
  const form = document.getElementById('filter');
  const shown = document.getElementById('shown');
  const { shades, states, counts } = JSON.parse(document.getElementById('pairs').textContent);
  const rows = [...document.querySelectorAll('#matrix tbody tr')].map((row) => [...row.querySelectorAll('td')]);
  const shadeOf = (count, most) => {
    if (count === 0) return 0;
    return most === 1 ? shades : 1 + Math.round(((shades - 1) * Math.log(count)) / Math.log(most));
  };
  const filter = () => {
    const parts = new FormData(form).get('state').toLowerCase().split(',').map((part) => part.trim());
    const fits = states.map((state) => parts.every((part) => state.toLowerCase().includes(part)));
    const sums = rows.map((row) => row.map(() => 0));
    let steps = 0;
    for (const [state, row, column, count] of counts) {
      if (!fits[state]) continue;
      sums[row][column] += count;
      steps += count;
    }
    const most = Math.max(1, ...sums.flat());
    rows.forEach((row, at) =>
      row.forEach((cell, column) => {
        const count = sums[at][column];
        cell.textContent = count === 0 ? '' : count.toLocaleString('en-US');
        cell.className = 'n' + shadeOf(count, most);
      }),
    );
    const met = fits.filter(Boolean).length;
    shown.textContent = met + ' of ' + states.length + ' state classes, ' + steps.toLocaleString('en-US') + ' steps';
  };
  form.addEventListener('input', filter);
  form.addEventListener('submit', (event) => event.preventDefault());
  filter();
})();
`;
