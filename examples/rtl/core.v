// SPDX-License-Identifier: MIT
//
// A core of RV64IM with two stages, for the tutorial of waveforms (docs/tutorials/waveform.md), with
// one bug.
//
// The first stage fetches, decodes, executes, and begins loads and stores.  The second one, wb, writes
// the register.  A load takes two cycles there, in the first of which `stall` holds the first stage.
// What wb is about to write is passed to an instruction that reads it (`from_wb`).

`timescale 1ns / 1ns

module core(input clk, input reset, input [63:0] entry);
    reg [7:0] memory[65536:131071];  // 0x10000 to 0x1ffff
    reg [63:0] x[0:31];
    reg [63:0] pc;

    // ---- the second stage ----
    reg wb_valid, wb_is_load, wb_loaded;
    reg [63:0] wb_pc, wb_value, wb_address, load_data;
    reg [31:0] wb_insn;
    reg [4:0] wb_rd;
    reg [7:0] wb_read_mask, wb_write_mask;
    reg [63:0] wb_store_data;
    wire stall = wb_valid && wb_is_load && !wb_loaded;
    wire retire = wb_valid && !stall;
    reg [63:0] loaded;
    always @* case (wb_insn[14:12])
        0: loaded = {{56{load_data[7]}}, load_data[7:0]};
        1: loaded = {{48{load_data[15]}}, load_data[15:0]};
        2: loaded = {{32{load_data[31]}}, load_data[31:0]};
        4: loaded = {56'b0, load_data[7:0]};
        5: loaded = {48'b0, load_data[15:0]};
        6: loaded = {32'b0, load_data[31:0]};
        default: loaded = load_data;
    endcase
    wire [63:0] rf_wdata = wb_is_load ? loaded : wb_value;
    wire rf_we = retire && wb_rd != 0;

    // ---- the first stage ----
    wire [31:0] insn = {memory[pc + 3], memory[pc + 2], memory[pc + 1], memory[pc]};
    wire [4:0] rs1 = insn[19:15], rs2 = insn[24:20];
    wire [2:0] f3 = insn[14:12];
    wire [6:0] opcode = insn[6:0];
    wire from_wb1 = rf_we && wb_rd == rs1, from_wb2 = rf_we && wb_rd == rs2;
    wire [63:0] a = from_wb1 ? rf_wdata : x[rs1];
`ifdef FIXED
    wire [63:0] b = from_wb2 ? rf_wdata : x[rs2];
`else // the bug: a load's data are passed before they are extended to 64 bits
    wire [63:0] b = from_wb2 ? (wb_is_load ? load_data : wb_value) : x[rs2];
`endif
    wire [63:0] imm_i = {{52{insn[31]}}, insn[31:20]};
    wire [63:0] imm_s = {{52{insn[31]}}, insn[31:25], insn[11:7]};
    wire [63:0] imm_b = {{52{insn[31]}}, insn[7], insn[30:25], insn[11:8], 1'b0};
    wire [63:0] imm_u = {{32{insn[31]}}, insn[31:12], 12'b0};
    wire [63:0] imm_j = {{44{insn[31]}}, insn[19:12], insn[20], insn[30:21], 1'b0};
    wire is_op = opcode == 7'h33 || opcode == 7'h3B, is_word = opcode == 7'h3B || opcode == 7'h1B;
    wire is_load = opcode == 7'h03, is_store = opcode == 7'h23, is_branch = opcode == 7'h63;
    wire [63:0] c = is_op ? b : imm_i;
    wire [31:0] aw = a[31:0], cw = c[31:0];
    wire [63:0] address = a + (is_store ? imm_s : imm_i);
    wire alternate = insn[30] && (is_op || f3 == 5);
    wire multiplies = is_op && insn[25];
    wire signed [63:0] as = a, cs = c;
    wire signed [31:0] aws = aw, cws = cw;
    wire [127:0] product = {{64{a[63] && f3 != 3}}, a} * {{64{c[63] && f3 == 1}}, c};

    reg [31:0] word;
    reg [63:0] value, next;
    reg taken;
    always @* begin
        word = 0;
        case ({multiplies, f3})
            4'h0: word = alternate ? aw - cw : aw + cw;
            4'h1: word = aw << cw[4:0];
            4'h5: begin
                word = aw >> cw[4:0];
                if (alternate) word = aws >>> cw[4:0];
            end
            4'h8: word = aw * cw;
            4'hC: begin
                word = aws / cws;
                if (cw == 0) word = ~0;
            end
            4'hD: word = cw == 0 ? ~0 : aw / cw;
            4'hE: begin
                word = aws % cws;
                if (cw == 0) word = aw;
            end
            4'hF: word = cw == 0 ? aw : aw % cw;
        endcase
        case ({multiplies, f3})
            4'h0: value = alternate ? a - c : a + c;
            4'h1: value = a << c[5:0];
            4'h2: value = as < cs;
            4'h3: value = a < c;
            4'h4: value = a ^ c;
            4'h5: begin
                value = a >> c[5:0];
                if (alternate) value = as >>> c[5:0];
            end
            4'h6: value = a | c;
            4'h7: value = a & c;
            4'h8: value = product[63:0];
            4'h9, 4'hA, 4'hB: value = product[127:64];
            4'hC: begin
                value = as / cs;
                if (c == 0) value = ~64'b0;
            end
            4'hD: value = c == 0 ? ~64'b0 : a / c;
            4'hE: begin
                value = as % cs;
                if (c == 0) value = a;
            end
            default: value = c == 0 ? a : a % c;
        endcase
        if (is_word) value = {{32{word[31]}}, word};
        case (f3)
            0: taken = a == b;
            1: taken = a != b;
            4: taken = as < $signed(b);
            5: taken = as >= $signed(b);
            6: taken = a < b;
            default: taken = a >= b;
        endcase
        next = pc + 4;
        case (opcode)
            7'h37: value = imm_u;
            7'h17: value = pc + imm_u;
            7'h6F: begin value = pc + 4; next = pc + imm_j; end
            7'h67: begin value = pc + 4; next = (a + imm_i) & ~64'b1; end
            7'h63: if (taken) next = pc + imm_b;
        endcase
    end
    wire writes = !is_store && !is_branch && opcode != 7'h73 && opcode != 7'h0F;
    wire [7:0] mask = (8'b1 << (1 << f3[1:0])) - 8'b1;

    // the system calls of Linux that the program makes: 64 writes, 93 ends
    wire is_call = opcode == 7'h73;
    wire [63:0] a7 = rf_we && wb_rd == 17 ? rf_wdata : x[17];
    wire [63:0] a2 = rf_we && wb_rd == 12 ? rf_wdata : x[12];
    wire [63:0] a1 = rf_we && wb_rd == 11 ? rf_wdata : x[11];
    integer i;

    // what the stages hold and why nothing retires, with a number for each instruction, for +truth
    reg [31:0] number = 0, wb_number;
    reg tells = 0;
    initial tells = $test$plusargs("truth");
    always @(posedge clk) if (!reset && tells) begin
        $display("%0d X %0d %h", $time, number, pc);
        if (wb_valid) $display("%0d W %0d %h", $time, wb_number, wb_pc);
        if (stall) $display("%0d load", $time);
        else if (!retire) $display("%0d other", $time);
        else $display("%0d retire %0d", $time, wb_number);
    end
    always @(posedge clk) if (!reset && !stall) begin
        number <= number + 1;
        wb_number <= number;
    end

    always @(posedge clk) if (reset) begin
        pc <= entry;
        wb_valid <= 0;
        wb_is_load <= 0;
        wb_loaded <= 0;
        for (i = 0; i < 32; i = i + 1) x[i] <= 0;
    end else begin
        if (rf_we) x[wb_rd] <= rf_wdata;
        if (stall) begin
            wb_loaded <= 1;
            for (i = 0; i < 8; i = i + 1) load_data[8 * i +: 8] <= memory[wb_address + i];
        end else begin
            wb_valid <= 1;
            wb_loaded <= 0;
            wb_pc <= pc;
            wb_insn <= insn;
            wb_value <= is_call ? a2 : value;
            wb_rd <= writes ? insn[11:7] : is_call && a7 == 64 ? 5'd10 : 5'd0;
            wb_is_load <= is_load;
            wb_address <= address;
            wb_read_mask <= is_load ? mask : 8'b0;
            wb_write_mask <= is_store ? mask : 8'b0;
            wb_store_data <= b;
            pc <= next;
            if (is_store)
                for (i = 0; i < 8; i = i + 1) if (mask[i]) memory[address + i] <= b[8 * i +: 8];
            if (is_call && a7 == 64)
                for (i = 0; i < a2; i = i + 1) $write("%c", memory[a1 + i]);
            if (is_call && a7 == 93) #10 $finish;
        end
    end
endmodule

module bench;
    reg clk = 0, reset = 1;
    reg [63:0] entry;
    integer last;
    core core(clk, reset, entry);
    always #5 clk = ~clk;
    initial begin
        $readmemh("memory.hex", core.memory);
        if (!$value$plusargs("entry=%h", entry)) $finish;
        $dumpfile("core.fst");
        $dumpvars(0, core.clk, core.reset, core.pc, core.stall, core.retire, core.wb_valid, core.wb_pc, core.wb_insn, core.wb_rd, core.rf_we, core.rf_wdata,
            core.wb_address, core.wb_read_mask, core.load_data, core.wb_write_mask, core.wb_store_data,
            core.a, core.b, core.from_wb1, core.from_wb2);
        #12 reset = 0;
        if (!$value$plusargs("end=%d", last)) last = 2000000;
        #last $finish;
    end
endmodule
