import type { ServedProtocol } from '../admit/served-protocol.ts'

/** How calls are weighed: each is one unit, or those that cost a node more are two. */
export const unitTables = ['flat', 'weighted'] as const

/** One of {@link unitTables}. */
export type UnitTable = (typeof unitTables)[number]

/** Gives the units that one call of a method costs. */
export type Units = (protocol: ServedProtocol, method: string) => number

// What a node has to compute anew, by the beginning of the method's name.
const heavyMethods: Readonly<Partial<Record<ServedProtocol, readonly string[]>>> = {
  evm: ['debug_', 'trace_', 'arbtrace_', 'ots_'],
}
const heavyUnits = 2

/** Makes the look-up for one of the tables. */
export function createUnits(table: UnitTable): Units {
  if (table === 'flat') return () => 1
  return (protocol, method) =>
    heavyMethods[protocol]?.some((beginning) => method.startsWith(beginning)) ? heavyUnits : 1
}
