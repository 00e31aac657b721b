export type { Configuration, Option, OptionName } from './configuration/options.ts'
export { options } from './configuration/options.ts'
export { parseConfiguration } from './configuration/parse-configuration.ts'
export { type Gateway, type GatewayParts, startGateway } from './start-gateway.ts'
