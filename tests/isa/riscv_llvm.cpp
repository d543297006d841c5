/* SPDX-License-Identifier: MIT */
/*
 * riscv_llvm.cpp: makes riscv_llvm.txt, what LLVM says about RISC-V opcodes.
 *
 *     c++ -std=c++17 riscv_llvm.cpp $(llvm-config-19 --cxxflags --ldflags --libs) -o riscv_llvm
 *     ./riscv_llvm 4 >riscv_llvm.txt
 *
 * For each instruction of LLVM's RISC-V target, but for those of vendors: as many random opcodes as
 * the argument says.  A line of six fields is for those after it: the bits of an integer register,
 * the name in LLVM, the mnemonic, the registers that it writes and reads, and what else LLVM knows
 * of it, separated by tabs.  A register is its name, or the place of the operand that has it, from
 * 1 on, with what LLVM's name has after the number ("1_D" is F5_D if the first operand is f5).  A
 * line of two fields has an opcode and its operands.
 */
#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCCodeEmitter.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCDisassembler/MCDisassembler.h"
#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCInstPrinter.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/MCTargetOptions.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

static const char common[] =
    "+m,+a,+f,+d,+v,+h,+zfh,+zba,+zbb,+zbc,+zbs,+zbkb,+zbkc,+zbkx,+zknd,+zkne,+zknh,+zksed,+zksh,"
    "+zicond,+zicbom,+zicbop,+zicboz,+zawrs,+zfa,+zfbfmin,+zvfh,+zvfbfmin,+zvfbfwma,+zvbb,+zvbc,"
    "+zvkg,+zvkned,+zvknhb,+zvksed,+zvksh,+svinval,+zifencei,+experimental-zacas,+zabha,+zihintntl,"
    "+zimop,"
    "+experimental-smrnmi";
static const char *const sets[][2] = {
    {"riscv64", "+c,+zcb,+zcmop"},        /* with Zcd */
    {"riscv64", "+zca,+zcb,+zcmp,+zcmt"}, /* these have the opcodes of c.fsdsp */
    {"riscv32", "+c,+zcb"},
};

static std::mt19937_64 draw(1);

static const char *const vendors[] = {"TH_", "CV_", "VT_", "SF_", "QC_", "XS", "Insn", nullptr};

static std::vector<std::string> words_of(const std::string &text)
{
    std::vector<std::string> words;
    for (size_t at = 0; (at = text.find_first_not_of(" ,(){}", at)) != std::string::npos;) {
        const size_t end = std::min(text.find_first_of(" ,(){}", at), text.size());
        words.push_back(text.substr(at, end - at));
        at = end;
    }
    return words;
}

/* Registers by the places of operands, of which the first is looked for at `from`. */
static std::string places_of(const std::string &registers, const std::string &operands, size_t from)
{
    const std::vector<std::string> words = words_of(operands);
    std::string places;
    for (const std::string &name : words_of(registers)) {
        const size_t end = std::min(name.find_first_not_of("0123456789", 1), name.size());
        const std::string word =
            std::string(1, (char)std::tolower(name[0])) + name.substr(1, end - 1);
        std::string place = name;
        for (size_t i = 0; i < words.size() && place == name; i++) {
            const size_t index = (from + i) % words.size();
            if (end == 1 || words[index] != word) continue;
            place = std::to_string(index + 1) + name.substr(end);
            from = index + 1;
        }
        places += (places.empty() ? "" : " ") + place;
    }
    return places;
}

static std::string registers_of(const std::string &places, const std::string &operands)
{
    const std::vector<std::string> words = words_of(operands);
    std::string registers;
    for (std::string name : words_of(places)) {
        if (std::isdigit((unsigned char)name[0])) {
            size_t end;
            const size_t index = std::stoul(name, &end) - 1;
            if (index >= words.size()) return "?";
            name = words[index] + name.substr(end);
            name[0] = (char)std::toupper(name[0]);
        }
        registers += (registers.empty() ? "" : " ") + name;
    }
    return registers;
}

/* Opcodes that differ in their operands alone. */
struct alike {
    std::string mnemonic, writes, reads, does, lines;
};

/* The opcodes of an instruction. */
struct instruction {
    std::vector<alike> groups;

    void add(const std::string &opcode, const std::string &text, const std::string &writes,
             const std::string &reads, const std::string &does)
    {
        const size_t blank = std::min(text.find(' '), text.size());
        const std::string mnemonic = text.substr(0, blank),
                          operands = blank < text.size() ? text.substr(blank + 1) : "",
                          line = opcode + "\t" + operands + "\n";
        for (alike &group : groups)
            if (group.mnemonic == mnemonic && group.does == does &&
                registers_of(group.writes, operands) == writes &&
                registers_of(group.reads, operands) == reads) {
                group.lines += line;
                return;
            }
        groups.push_back({mnemonic, places_of(writes, operands, 0),
                          places_of(reads, operands, words_of(writes).size()), does, line});
    }

    void print(const std::string &bits, const std::string &name) const
    {
        for (const alike &group : groups)
            std::printf("%s\t%s\t%s\t%s\t%s\t%s\n%s", bits.c_str(), name.c_str(),
                        group.mnemonic.c_str(), group.writes.c_str(), group.reads.c_str(),
                        group.does.c_str(), group.lines.c_str());
    }
};

int main(int argc, char **argv)
{
    const int count = argc > 1 ? std::atoi(argv[1]) : 4;
    if (argc > 2) draw.seed(std::strtoull(argv[2], nullptr, 0));
    LLVMInitializeRISCVTargetInfo();
    LLVMInitializeRISCVTarget();
    LLVMInitializeRISCVTargetMC();
    LLVMInitializeRISCVDisassembler();
    std::set<std::string> seen;
    unsigned instructions = 0;
    for (const auto &set : sets) {
        const Triple triple(std::string(set[0]) + "-unknown-elf");
        std::string error;
        const Target *target = TargetRegistry::lookupTarget("", *new Triple(triple), error);
        const MCRegisterInfo *registers = target->createMCRegInfo(triple.str());
        const MCAsmInfo *info =
            target->createMCAsmInfo(*registers, triple.str(), MCTargetOptions());
        const MCInstrInfo *insns = target->createMCInstrInfo();
        const MCSubtargetInfo *features =
            target->createMCSubtargetInfo(triple.str(), "", std::string(common) + "," + set[1]);
        MCContext context(triple, info, registers, features);
        const MCDisassembler *disassembler = target->createMCDisassembler(*features, context);
        MCCodeEmitter *emitter = target->createMCCodeEmitter(*insns, context);
        MCInstPrinter *printer = target->createMCInstPrinter(triple, 0, *info, *insns, *registers);
        printer->applyTargetSpecificCLOption("no-aliases");
        printer->applyTargetSpecificCLOption("numeric");
        printer->setPrintImmHex(false);
        std::set<std::string> here;
        for (unsigned opcode = 0; opcode < insns->getNumOpcodes(); opcode++) {
            const MCInstrDesc &desc = insns->get(opcode);
            const std::string name = insns->getName(opcode).str();
            if (desc.isPseudo() || !desc.getSize()) continue;
            bool vendor = false;
            for (const char *const *prefix = vendors; *prefix; prefix++)
                vendor |= name.rfind(*prefix, 0) == 0;
            if (vendor) continue;
            int made = 0;
            instruction found;
            for (int tries = 0; tries < count * 200 && made < count; tries++) {
                MCInst drawn;
                drawn.setOpcode(opcode);
                for (unsigned i = 0; i < desc.getNumOperands(); i++) {
                    const MCOperandInfo &operand = desc.operands()[i];
                    const int tied = desc.getOperandConstraint(i, MCOI::TIED_TO);
                    if (tied >= 0) {
                        drawn.addOperand(drawn.getOperand((unsigned)tied));
                    } else if (operand.RegClass >= 0) {
                        const MCRegisterClass &kind =
                            registers->getRegClass((unsigned)operand.RegClass);
                        const bool unmasked = kind.getNumRegs() == 1 && draw() % 2 &&
                                              registers->getName(kind.getRegister(0))[0] == 'V';
                        drawn.addOperand(MCOperand::createReg(
                            unmasked ? 0u
                                     : (unsigned)kind.getRegister(draw() % kind.getNumRegs())));
                    } else {
                        const unsigned bits = (unsigned)(draw() % 21);
                        drawn.addOperand(MCOperand::createImm(
                            (int64_t)((draw() & ((1u << bits) - 1)) << (draw() % 4))));
                    }
                }
                SmallVector<char, 8> bytes;
                SmallVector<MCFixup, 2> fixups;
                emitter->encodeInstruction(drawn, bytes, fixups, *features);
                if (bytes.size() < 2) break;
                MCInst insn;
                uint64_t size;
                const ArrayRef<uint8_t> code((const uint8_t *)bytes.data(), bytes.size());
                if (disassembler->getInstruction(insn, size, code, 0x1000, nulls()) !=
                        MCDisassembler::Success ||
                    size != bytes.size() || insn.getOpcode() != opcode)
                    continue;
                std::string text, defs, uses, does;
                raw_string_ostream out(text);
                printer->printInst(&insn, 0x1000, "", *features, out);
                for (unsigned i = 0; i < insn.getNumOperands(); i++) {
                    const MCOperand &operand = insn.getOperand(i);
                    if (!operand.isReg() || !operand.getReg()) continue;
                    (i < desc.getNumDefs() ? defs : uses) +=
                        std::string(" ") + registers->getName(operand.getReg());
                }
                for (MCPhysReg reg : desc.implicit_uses())
                    uses += std::string(" ") + registers->getName(reg);
                for (MCPhysReg reg : desc.implicit_defs())
                    defs += std::string(" ") + registers->getName(reg);
                if (desc.mayLoad()) does += " load";
                if (desc.mayStore()) does += " store";
                if (desc.mayRaiseFPException()) does += " raises";
                if (desc.isBranch()) does += " branch";
                if (desc.isCall()) does += " call";
                uint32_t bits = 0;
                for (size_t i = bytes.size(); i-- > 0;) bits = bits << 8 | (uint8_t)bytes[i];
                char line[16];
                std::snprintf(line, sizeof line, "%0*x", (int)bytes.size() * 2, bits);
                std::string whole;
                for (char c : text.substr(text.find_first_not_of('\t')))
                    whole += c == '\t' ? ' ' : c;
                /* of the other sets, only what is not in the first */
                if (&set != &sets[0] && seen.count(name)) break;
                if (here.insert(line + name).second)
                    found.add(line, whole, defs.empty() ? "" : defs.substr(1),
                              uses.empty() ? "" : uses.substr(1),
                              does.empty() ? "" : does.substr(1));
                made++;
            }
            found.print(set[0] + 5, name);
            if (made) {
                instructions += seen.insert(name).second;
            } else if (!seen.count(name)) {
                std::fprintf(stderr, "%s: no opcode of %s\n", set[0], name.c_str());
            }
        }
    }
    std::fprintf(stderr, "%u instructions\n", instructions);
}
