import { useEffect, useState } from 'preact/hooks';

export function useMedia(query: string): boolean {
  const [list] = useState(() => matchMedia(query));
  const [holds, setHolds] = useState(list.matches);
  useEffect(() => {
    const onChange = () => setHolds(list.matches);
    list.addEventListener('change', onChange);
    return () => list.removeEventListener('change', onChange);
  }, []);
  return holds;
}
