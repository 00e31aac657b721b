/** How calls are weighted. `flat`: one unit each. `weighted`: several units for calls that cost an upstream more. */
export const unitTables = ['flat', 'weighted'] as const

/** One of {@link unitTables}. */
export type UnitTable = (typeof unitTables)[number]

/** The cost of a call. */
export interface CallCost {
  /** Units of the call in the table `weighted`. */
  readonly units: number
  /** Whether the call is rejected first when the gateway is overloaded. */
  readonly isExpensive: boolean
}

/** Cost of a call, unless its protocol defines another one. */
export const ordinaryCost: CallCost = { units: 1, isExpensive: false }

/** The costs of a protocol's calls, by method. */
export interface ProtocolCost {
  /** Units of a call in the table `weighted`. */
  units(method: string): number
}

/** Returns the costs of methods by their policies. */
export function costsByMethod(policies: Readonly<Record<string, { readonly cost: CallCost }>>): ProtocolCost {
  const costs = new Map(Object.entries(policies).map(([method, { cost }]) => [method, cost]))
  return { units: (method) => (costs.get(method) ?? ordinaryCost).units }
}

/** Costs by protocol name; calls of other protocols cost one unit each. */
export type ProtocolCosts = Readonly<Partial<Record<string, ProtocolCost>>>

/** Returns the units of one call of a method. */
export type Units = (protocol: string, method: string) => number

/** Creates the lookup for one of the tables. */
export function createUnits(table: UnitTable, costs: ProtocolCosts): Units {
  if (table === 'flat') return () => 1
  return (protocol, method) => costs[protocol]?.units(method) ?? 1
}
