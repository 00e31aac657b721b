import type { JettonChain } from '../../../chain/jetton-chain.ts'
import { writeBoc } from '../../cells/bag-of-cells.ts'
import { readConfiguration } from '../configuration.ts'
import { invalid, liteServerFailure } from '../failure.ts'
import { masterBlock } from '../find-block.ts'
import { reading, type Methods } from '../method.ts'
import { hashes, int32, optional, positive } from '../parameters.ts'

/** Methods about the configuration of the network. */
export const configurationMethods: Methods = {
  getConfigParam: reading(
    { config_id: optional(int32), param: optional(int32), seqno: optional(positive) },
    (chain, { config_id, param, seqno }) => {
      if (config_id !== undefined && param !== undefined) {
        throw invalid('only one of config_id or param should be specified')
      }
      const id = config_id ?? param
      if (id === undefined) throw invalid('config_id or param should be specified')
      if (id < 0) throw invalid('param should be non-negative')
      requireBlock(chain, seqno)
      const cell = readConfiguration(chain.config).parameter(id)
      if (cell === undefined) throw liteServerFailure(`configuration parameter ${id} is not set`)
      return writeConfigInfo(writeBoc(cell))
    },
  ),
  getConfigAll: reading({ seqno: optional(positive) }, (chain, { seqno }) => {
    requireBlock(chain, seqno)
    return writeConfigInfo(readConfiguration(chain.config).boc)
  }),
  // No account of this chain publishes a library.
  getLibraries: reading({ libraries: hashes }, () => ({ '@type': 'smc.libraryResult', result: [] })),
}

// The configuration of this chain never changes, so it is the same for every stored block.
function requireBlock(chain: JettonChain, seqno: number | undefined): void {
  if (seqno !== undefined) masterBlock(chain, seqno)
}

function writeConfigInfo(bytes: string): object {
  return { '@type': 'configInfo', config: { '@type': 'tvm.cell', bytes } }
}
