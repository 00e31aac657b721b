/** How calls are weighed: each is one unit, or those that cost a node more are several. */
export const unitTables = ['flat', 'weighted'] as const

/** One of {@link unitTables}. */
export type UnitTable = (typeof unitTables)[number]

/** What the calls of a protocol cost, by their methods. */
export interface ProtocolCost {
  /** Units of a call in the table `weighted`. */
  units(method: string): number
  /** Whether calls of the method are rejected first when the service is overloaded. */
  isExpensive(method: string): boolean
}

/** Costs by the name of the protocol; the calls of others are one unit each, and none of them is expensive. */
export type ProtocolCosts = Readonly<Partial<Record<string, ProtocolCost>>>

/** Gives the units that one call of a method costs. */
export type Units = (protocol: string, method: string) => number

/** Makes the look-up for one of the tables. */
export function createUnits(table: UnitTable, costs: ProtocolCosts): Units {
  if (table === 'flat') return () => 1
  return (protocol, method) => costs[protocol]?.units(method) ?? 1
}
