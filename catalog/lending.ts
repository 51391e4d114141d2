/**
 * One open index for all who read from it: it is lent, and once another took its place, closed when the last of them
 * has given it back.
 */
export interface Lending {
  /** Returns what gives it back; further calls of that do nothing. */
  lend(): () => void;
  /** Nothing is lent from here on by the owner; closes now, or with the last return. */
  retire(): void;
}

export function createLending(close: () => void): Lending {
  let lent = 0;
  let retired = false;
  const closeIfUnused = (): void => {
    if (retired && lent === 0) close();
  };
  return {
    lend() {
      lent += 1;
      let isBack = false;
      return () => {
        if (isBack) return;
        isBack = true;
        lent -= 1;
        closeIfUnused();
      };
    },
    retire() {
      retired = true;
      closeIfUnused();
    },
  };
}
