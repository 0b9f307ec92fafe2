/** What of a text differs from another: between what both begin and end with; null if that is all. */
export function between(text: string, other: string): [number, number] | null {
  const most = Math.min(text.length, other.length);
  let from = 0;
  while (from < most && text[from] === other[from]) {
    from++;
  }
  let to = text.length;
  let end = other.length;
  while (to > from && end > from && text[to - 1] === other[end - 1]) {
    to--;
    end--;
  }
  return from === 0 && to === text.length ? null : [from, to];
}
