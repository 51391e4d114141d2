/**
 * Shares one open index among its readers: each borrows it and gives it back. An index that has been replaced is closed
 * when its last reader gives it back.
 */
export interface Lending {
  /** Returns a function that gives the index back; further calls of it do nothing. */
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
