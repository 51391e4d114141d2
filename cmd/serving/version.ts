/** The version of Slipway, in a file of its own: a program that needs it loads no other code with it. */

/** Of package.json; a file that is read would have to be shipped. */
export const VERSION = '0.1.0';
