import type { Methods } from './method.ts'
import { accountMethods } from './methods/accounts.ts'
import { blockMethods } from './methods/blocks.ts'
import { configurationMethods } from './methods/configuration.ts'
import { detectionMethods } from './methods/detection.ts'
import { runMethods } from './methods/run-method.ts'
import { sendMethods } from './methods/send.ts'
import { transactionMethods } from './methods/transactions.ts'

/** Every method of the API except `jsonRPC`, which calls the others. */
export const methods: Methods = {
  ...detectionMethods,
  ...accountMethods,
  ...blockMethods,
  ...transactionMethods,
  ...configurationMethods,
  ...runMethods,
  ...sendMethods,
}
