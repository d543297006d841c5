-- SPDX-License-Identifier: MIT
-- Signals of every kind that GHW has: shapes.ghw is its waveform (ghdl -r --std=08 t --wave=shapes.ghw --stop-time=120ns).
library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
package p is
  type st is (idle, run, done);
  type rec is record
    valid : std_ulogic;
    pc : std_ulogic_vector(31 downto 0);
    n : integer;
  end record;
  type mem is array (0 to 1) of std_ulogic_vector(7 downto 0);
  type recs is array (natural range <>) of rec;
end package;
library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
use work.p.all;
entity sub is port (clk : in std_ulogic; a : in std_ulogic_vector; q : out unsigned(3 downto 0)); end entity;
architecture rtl of sub is
  signal up : std_ulogic_vector(0 to 3) := "0001";
begin
  process (clk) begin if rising_edge(clk) then q <= unsigned(a(3 downto 0)); end if; end process;
end architecture;
library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
use work.p.all;
entity t is end entity;
architecture sim of t is
  signal clk : std_ulogic := '0';
  signal state : st := idle;
  signal r : rec := ('0', (others => 'U'), 5);
  signal m : mem := (x"12", x"34");
  signal rs : recs(0 to 1);
  signal i : integer range 0 to 100 := 3;
  signal b : boolean := false;
  signal bt : bit := '1';
  signal bv : bit_vector(0 to 3) := "1010";
  signal x : real := 1.5;
  signal tm : time := 3 ns;
  signal c : unsigned(7 downto 0) := (others => '0');
  signal q0, q1 : unsigned(3 downto 0);
begin
  clk <= not clk after 5 ns when now < 100 ns else '0';
  g : for k in 0 to 1 generate
    s : entity work.sub port map (clk => clk, a => m(k), q => open);
  end generate;
  s2 : entity work.sub port map (clk => clk, a => r.pc, q => q1);
  process (clk) begin
    if rising_edge(clk) then
      c <= c + 1; b <= not b; i <= i + 1; state <= run; r.valid <= c(0); r.pc <= x"0000" & std_ulogic_vector(c) & "ZZHL01X-";
      m(1) <= std_ulogic_vector(c); rs(1).n <= -3; x <= x * 2.0; tm <= tm + 1 ns;
    end if;
  end process;
end architecture;
