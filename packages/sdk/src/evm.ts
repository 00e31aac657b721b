export * from '@fairlead/evm-rpc'
export * from '@fairlead/evm-rpc/actions'
