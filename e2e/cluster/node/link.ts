/** Name of the link to this machine on the bridge of a cluster; deleting one end deletes both. */
export const LINK_TO_MACHINE = 'machine';
