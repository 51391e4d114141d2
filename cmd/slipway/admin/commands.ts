/** The commands that read and administer the operators of a cluster. */
import type { Command } from 'commander';
import type { Perform } from '../flags.ts';
import { defineActingCommands } from './acting-commands.ts';
import { defineCareCommands } from './care-commands.ts';
import { defineOfferCommands } from './offer-commands.ts';
import { defineReadingCommands } from './reading-commands.ts';

export function defineAdminCommands(program: Command, perform: Perform): void {
  defineReadingCommands(program, perform);
  defineOfferCommands(program, perform);
  defineActingCommands(program, perform);
  defineCareCommands(program, perform);
}
