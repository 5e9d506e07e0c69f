"""Methods that keep the cases and compare whole cases: IB1, IB2, IGTree, TRIBL, TRIBL2."""
