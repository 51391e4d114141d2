/** Name of the link to this machine on the bridge of a cluster; whoever deletes it deletes both its ends. */
export const LINK_TO_MACHINE = 'machine';
